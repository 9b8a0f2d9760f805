/** `apply --prune`: deletes objects that were applied before and are no longer in the files. */

import { bool, type FlagValues, stringArray } from "../../base/flags/flag.ts";
import type { DiscoveredResource } from "../../client/contract.ts";
import { apiVersionOf as apiVersionText } from "../../client/requests/address.ts";
import type { Context } from "../context.ts";
import { CtlError, Exit } from "../errors.ts";
import { type Json, nameOf, namespaceOf, nameText, text } from "../json.ts";
import { dryRunOf, printResult } from "../output/formats.ts";
import { lastApplied, lastAppliedKey } from "../write/notes.ts";
import type { AppliedObjects } from "./apply.ts";

export const pruneFlags = {
  prune: bool("Delete objects that were applied before and are no longer in the files"),
  "prune-whitelist": stringArray("Only prune these kinds, as group/version/kind"),
};

type PruneContext = Context<FlagValues<typeof pruneFlags>>;

const namespaced = [
  "core/v1/ConfigMap",
  "core/v1/Endpoints",
  "core/v1/PersistentVolumeClaim",
  "core/v1/Pod",
  "core/v1/ReplicationController",
  "core/v1/Secret",
  "core/v1/Service",
  "batch/v1/Job",
  "batch/v1/CronJob",
  "networking/v1/Ingress",
  "apps/v1/DaemonSet",
  "apps/v1/Deployment",
  "apps/v1/ReplicaSet",
  "apps/v1/StatefulSet",
];
const clusterWide = ["core/v1/Namespace", "core/v1/PersistentVolume"];

interface Prunable {
  readonly resource: DiscoveredResource;
  readonly object: Json;
}

/** The objects that were applied before and are not among the applied ones now. */
export async function prunedBy(
  context: Context,
  applied: readonly AppliedObjects[],
  resources: readonly DiscoveredResource[],
): Promise<Prunable[]> {
  const doomed: Prunable[] = [];
  const kept = new Set(applied.map(({ uid }) => uid));
  const namespaces = new Set(applied.map(({ namespace }) => namespace).filter((name) => name !== ""));
  const key = await lastAppliedKey(context);
  for (const resource of resources)
    for (const namespace of resource.namespaced ? namespaces : [""])
      for await (const object of context.at(resource).items({
        namespace,
        labelSelector: context.flags.selector,
      }))
        if (isOurs(object, key) && !kept.has(text(object, "metadata", "uid"))) doomed.push({ resource, object });
  return doomed;
}

export async function prune(
  context: Context,
  applied: readonly AppliedObjects[],
  resources: readonly DiscoveredResource[],
): Promise<void> {
  const doomed = await prunedBy(context, applied, resources);
  if (doomed.length > 0) await preview(context, doomed);
  for (const { resource, object } of doomed) {
    const dryRun = dryRunOf(context);
    if (dryRun !== "client")
      await context
        .at(resource)
        .delete(
          { namespace: namespaceOf(object), name: nameOf(object) },
          { propagationPolicy: "Background", dryRun: dryRun === "server" },
        );
    printResult(context, object, "pruned", dryRun);
  }
}

/** Applied on the client side, with the annotation, or by our own server-side apply. */
function isOurs(object: Json, key: string): boolean {
  if (lastApplied(object, key) !== undefined) return true;
  const managed = (object["metadata"] as Json | undefined)?.["managedFields"];
  return (
    Array.isArray(managed) &&
    managed.some((entry) => text(entry, "operation") === "Apply" && /^(ctl|kubectl)$/.test(text(entry, "manager")))
  );
}

/** On a terminal the user sees what would be deleted, and confirms. */
async function preview(context: Context, doomed: readonly { object: Json }[]): Promise<void> {
  const { stdin } = context.environment;
  if (!context.behaviour.confirmsPruning || !stdin.isTerminal || dryRunOf(context) !== "none") return;
  context.say(
    `to be deleted:\n${doomed.map(({ object }) => `  ${nameText(object)}`).join("\n")}\nDelete ${doomed.length === 1 ? "it" : `these ${doomed.length}`}? [y/N]`,
  );
  const answer = await stdin.readLine();
  context.signal.throwIfAborted();
  if (!/^y(es)?$/i.test(answer ?? "")) throw new Exit(1);
}

/** The types that --prune checks; throws if --prune-whitelist names one that is not served. */
export async function prunable(context: PruneContext): Promise<DiscoveredResource[]> {
  const given = context.flags["prune-whitelist"];
  const discovery = await context.discovery();
  const wanted = given.length > 0 ? given : [...clusterWide, ...namespaced];
  return wanted.flatMap((entry) => {
    const [group = "", version = "", kind = "", ...rest] = entry.split("/");
    if (kind === "" || rest.length > 0)
      throw new CtlError(`invalid GroupVersionKind format: ${entry}, please follow <group/version/kind>`);
    const isGroup = (name: string) => (group === "core" ? name === "" : name === group || name.startsWith(`${group}.`));
    const found = discovery.resources.find((one) => isGroup(one.group) && one.version === version && one.kind === kind);
    if (found === undefined && given.length > 0)
      throw new CtlError(
        `no matches for kind "${kind}" in version "${apiVersionText({ group: group === "core" ? "" : group, version })}"`,
      );
    return found === undefined ? [] : [found];
  });
}
