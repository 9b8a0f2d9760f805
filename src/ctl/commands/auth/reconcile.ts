/** `auth reconcile`: roles and bindings get the rules and subjects of files, and keep what they have beyond unless told otherwise. */

import type { Command } from "../../command.ts";
import type { Context } from "../../context.ts";
import { CtlError } from "../../errors.ts";
import { dryRunFlag, filenameFlags, printFlags } from "../../flags/declared.ts";
import { namespaceFor, resourceOf, soundManifestsOf } from "../../input/lookups.ts";
import { getIfThere } from "../../input/targets.ts";
import { copy, ensure, isSame, type Json, kindOf, list, nameOf, object, text } from "../../json.ts";
import { dryRunOf, objectPrinter, printResult } from "../../output/formats.ts";
import { createObject, managerOf, replaceObject } from "../../write/submit.ts";
import { deleteAndWait } from "../delete.ts";

export const reconcile: Command = {
  name: "reconcile",
  summary: "Reconciles rules for RBAC role, role binding, cluster role, and cluster role binding objects",
  usage: "-f FILENAME",
  flags: [
    ...filenameFlags,
    ...printFlags,
    dryRunFlag,
    { name: "remove-extra-permissions", type: "bool", help: "Remove rules that the file does not have" },
    { name: "remove-extra-subjects", type: "bool", help: "Remove subjects that the file does not have" },
  ],
  run,
};

const kinds = new Set(["Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding"]);

async function run(context: Context): Promise<void> {
  if (context.flags.list("filename").length === 0 && context.flags.text("kustomize") === "")
    throw new CtlError("must specify one of -f and -k");
  const dryRun = dryRunOf(context);
  const manager = await managerOf(context, "auth-reconcile");
  for (const { object: manifest, source } of await soundManifestsOf(context)) {
    const group = text(manifest, "apiVersion");
    if (kinds.has(kindOf(manifest)) && /\/v1(alpha1|beta1)$/.test(group))
      throw new CtlError(
        `only rbac.authorization.k8s.io/v1 is supported: not *${group.split("/")[1]}.${kindOf(manifest)}`,
      );
    if (!kinds.has(kindOf(manifest))) {
      if (context.isKubectl) continue;
      throw new CtlError(`${source}: only roles and bindings can be reconciled, not ${kindOf(manifest)}`);
    }
    const resource = await resourceOf(context, manifest, source);
    const namespace = resource.namespaced ? namespaceFor(context, manifest) : "";
    const place = { resource, namespace, name: nameOf(manifest) };
    const live = await getIfThere(context, place);
    const wanted = live === undefined ? manifest : merged(context, live, manifest);
    let result = wanted;
    if (dryRun !== "client") {
      if (live === undefined) result = await createObject(context, place, wanted, { manager, dryRun });
      else if (kindOf(live).endsWith("Binding") && !isSame(live["roleRef"], manifest["roleRef"])) {
        // The role of a binding cannot be changed.
        if (dryRun === "none") await deleteAndWait(context, place, {});
        result = await createObject(context, place, manifest, { manager, dryRun });
      } else if (!isSame(live, wanted)) result = await replaceObject(context, place, wanted, { manager, dryRun });
    }
    if (objectPrinter(context) !== undefined) printResult(context, result, "reconciled");
    else printResult(context, result, "reconciled", dryRun);
  }
}

function merged(context: Context, live: Json, manifest: Json): Json {
  const result = copy(live);
  for (const member of ["labels", "annotations"] as const) {
    const own = object(manifest, "metadata", member);
    if (Object.keys(own).length > 0) Object.assign(ensure(result, "metadata", member), own);
  }
  const unite = (key: string, removesExtra: boolean) => {
    if (manifest[key] === undefined && live[key] === undefined) return;
    const wanted = list(manifest, key);
    const before = list(live, key);
    result[key] = removesExtra
      ? wanted
      : [...before, ...wanted.filter((one) => !before.some((other) => covers(other, one)))];
  };
  if (kindOf(manifest).endsWith("Binding")) unite("subjects", context.flags.on("remove-extra-subjects"));
  else unite("rules", context.flags.on("remove-extra-permissions"));
  return result;
}

/** Whether one entry says all that the other says. */
function covers(other: Json, one: Json): boolean {
  if (isSame(other, one)) return true;
  const keys = ["verbs", "apiGroups", "resources", "resourceNames", "nonResourceURLs"];
  if (!Array.isArray(one["verbs"])) return false;
  return keys.every((key) => {
    const [has, wants] = [other[key], one[key]].map((value) => (Array.isArray(value) ? value : []));
    if (key === "resourceNames")
      return (has ?? []).length === 0 || (wants ?? []).every((item) => (has ?? []).includes(item));
    return (wants ?? []).every((item) => (has ?? []).includes(item) || (has ?? []).includes("*"));
  });
}
