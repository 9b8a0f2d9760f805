/** `auth reconcile`: adds the rules and subjects of files to roles and bindings, and removes others on request. */

import { bool, type FlagValues } from "../../../base/flags/flag.ts";
import { command } from "../../command.ts";
import type { Context } from "../../context.ts";
import { CtlError } from "../../errors.ts";
import { dryRunFlag, fieldManagerFlag, filenameFlags, printFlags } from "../../flags/declared.ts";
import { manifestsOf, namespaceFor, resourceOf } from "../../input/lookups.ts";
import { forEachManifest } from "../../input/problems.ts";
import { findObject } from "../../input/targets.ts";
import {
  apiVersionOf,
  copy,
  ensure,
  groupOf,
  isSame,
  type Json,
  kindOf,
  list,
  nameOf,
  object,
  text,
} from "../../json.ts";
import { dryRunOf, objectPrinter, printResult } from "../../output/formats.ts";
import { managerOf, withNamespace, writeOptions } from "../../write/write-options.ts";
import { deleteAndWait } from "../delete.ts";
import { missingRules, ruleText } from "./rules.ts";

const reconcileFlags = {
  ...filenameFlags,
  ...printFlags,
  ...dryRunFlag,
  ...fieldManagerFlag(""),
  "remove-extra-permissions": bool("Remove rules that the file does not have"),
  "remove-extra-subjects": bool("Remove subjects that the file does not have"),
};

type ReconcileContext = Context<FlagValues<typeof reconcileFlags>>;

export const reconcile = command({
  name: "reconcile",
  summary: "Reconciles rules for RBAC role, role binding, cluster role, and cluster role binding objects",
  usage: "-f FILENAME",
  examples: `ctl auth reconcile -f my-rbac-rules.yaml
ctl auth reconcile -f my-rbac-rules.yaml --remove-extra-permissions --remove-extra-subjects`,
  flags: reconcileFlags,
  run,
});

const kinds = new Set(["Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding"]);

async function run(context: ReconcileContext): Promise<void> {
  if (context.flags.filename.length === 0 && context.flags.kustomize === "")
    throw new CtlError("must specify one of -f and -k");
  const dryRun = dryRunOf(context);
  const manager = managerOf(context, "");
  await forEachManifest(context, await manifestsOf(context), async ({ object: manifest, source }) => {
    const group = text(manifest, "apiVersion");
    if (kinds.has(kindOf(manifest)) && /\/v1(alpha1|beta1)$/.test(group))
      throw new CtlError(
        `only rbac.authorization.k8s.io/v1 is supported: not *${group.split("/")[1]}.${kindOf(manifest)}`,
      );
    if (!kinds.has(kindOf(manifest))) {
      if (context.behaviour.skipsOtherKinds) return;
      throw new CtlError(`only roles and bindings can be reconciled, not ${kindOf(manifest)}`);
    }
    const resource = await resourceOf(context, manifest, source);
    const namespace = resource.namespaced ? namespaceFor(context, manifest) : "";
    const place = { resource, namespace, name: nameOf(manifest) };
    const live = await findObject(context, place);
    const plan = planOf(context, live, manifest);
    let result = plan.wanted;
    if (dryRun !== "client") {
      const wanted = withNamespace(plan.wanted, resource, namespace);
      const options = writeOptions(manager, dryRun);
      if (plan.operation === "create") result = await context.at(resource).create(wanted, options);
      else if (plan.operation === "recreate") {
        // The role of a binding cannot be changed.
        if (dryRun === "none") await deleteAndWait(context, place, { timeoutMs: 0 });
        result = await context.at(resource).create(wanted, options);
      } else if (plan.operation === "update") result = await context.at(resource).update(wanted, options);
    }
    if (objectPrinter(context) !== undefined) printResult(context, result, "reconciled");
    else printResult(context, result, "reconciled", dryRun);
    tell(context, plan);
  });
}

interface Plan {
  readonly operation: "create" | "recreate" | "update" | "none";
  readonly wanted: Json;
  /** Rules or subjects, as text. */
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly noun: "rules" | "subjects";
}

function planOf(context: ReconcileContext, live: Json | undefined, manifest: Json): Plan {
  const isBinding = kindOf(manifest).endsWith("Binding");
  const [key, noun] = isBinding ? (["subjects", "subjects"] as const) : (["rules", "rules"] as const);
  const group = groupOf(apiVersionOf(manifest));
  const shown = (one: Json) => (isBinding ? subjectText(one, group) : ruleText(one));
  const wanted = list(manifest, key);
  if (live === undefined) return { operation: "create", wanted: manifest, added: wanted.map(shown), removed: [], noun };
  if (isBinding && !isSame(live["roleRef"], manifest["roleRef"]))
    return { operation: "recreate", wanted: manifest, added: [], removed: [], noun };
  const before = list(live, key);
  const missing = isBinding ? otherSubjects(before, wanted, group) : missingRules(before, wanted);
  const extra = isBinding ? otherSubjects(wanted, before, group) : missingRules(wanted, before);
  const removes = context.flags[isBinding ? "remove-extra-subjects" : "remove-extra-permissions"];
  const result = copy(live);
  for (const member of ["labels", "annotations"] as const) {
    const own = object(manifest, "metadata", member);
    if (Object.keys(own).length > 0) Object.assign(ensure(result, "metadata", member), own);
  }
  if (removes && extra.length > 0) result[key] = wanted;
  else if (missing.length > 0) result[key] = [...before, ...missing];
  const operation = isSame(live, result) ? "none" : "update";
  return { operation, wanted: result, added: missing.map(shown), removed: removes ? extra.map(shown) : [], noun };
}

function tell(context: Context, { operation, added, removed, noun }: Plan): void {
  if (operation === "none") return;
  context.say(`\treconciliation required ${operation}`);
  if (added.length > 0) context.say([`\tmissing ${noun} added:`, ...added.map((one) => `\t\t${one}`)].join("\n"));
  if (removed.length > 0) context.say([`\textra ${noun} removed:`, ...removed.map((one) => `\t\t${one}`)].join("\n"));
}

/** The subjects of `wanted` that `owned` lacks. */
function otherSubjects(owned: readonly Json[], wanted: readonly Json[], group: string): Json[] {
  return wanted.filter((one) => !owned.some((own) => subjectText(own, group) === subjectText(one, group)));
}

/** Users and groups belong to the group of roles, even if the group is omitted. */
function subjectText(subject: Json, roles = ""): string {
  const kind = text(subject, "kind");
  const group = text(subject, "apiGroup") || (kind === "ServiceAccount" ? "" : roles);
  return `{Kind:${kind} APIGroup:${group} Name:${text(subject, "name")} Namespace:${text(subject, "namespace")}}`;
}
