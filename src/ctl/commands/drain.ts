/** `drain`: evicts the pods of a node, within their disruption budgets. */

import { anyDuration, bool, type FlagValues, int, string } from "../../base/flags/flag.ts";
import type { DiscoveredResource } from "../../client/contract.ts";
import { isNotFound } from "../../client/requests/refusals.ts";
import { parseLabelSelector } from "../../machinery/selectors/label-selector.ts";
import { StatusError } from "../../machinery/status/status.ts";
import { drainedPod, evictionOf, mirrorAnnotation } from "../../operations/drain.ts";
import { command } from "../command.ts";
import type { Context } from "../context.ts";
import { CtlError, TimedOut } from "../errors.ts";
import { chunkSizeFlag, dryRunFlag, fieldManagerFlag, selectorFlag } from "../flags/declared.ts";
import { findResource } from "../input/lookups.ts";
import { findObject, type ObjectTarget } from "../input/targets.ts";
import { type Json, nameOf, namespaceOf, text } from "../json.ts";
import { dryRunOf, printResult } from "../output/formats.ts";
import { pause } from "../pause.ts";
import { findNodes, setCordon } from "./nodes.ts";

const drainFlags = {
  ...selectorFlag,
  ...dryRunFlag,
  ...fieldManagerFlag(""),
  force: bool("Also delete pods that no controller would replace"),
  "ignore-daemonsets": bool("Ignore pods of daemon sets"),
  "delete-emptydir-data": bool("Also delete pods that have data in emptyDir volumes"),
  "delete-local-data": bool("The same as --delete-emptydir-data"),
  "disable-eviction": bool("Delete pods instead of evicting them; disruption budgets are ignored"),
  "grace-period": int("The grace period of each pod in seconds; negative: its own", -1),
  timeout: anyDuration("How long to wait; 0: without limit"),
  "pod-selector": string("Only pods with these labels"),
  "skip-wait-for-delete-timeout": int("Do not wait for pods deleted longer ago than this"),
  "ignore-errors": bool("Ignored", false, { isHidden: true }),
  ...chunkSizeFlag(0),
};

type DrainContext = Context<FlagValues<typeof drainFlags>>;

export const drain = command({
  name: "drain",
  summary: "Drain node in preparation for maintenance",
  usage: "NODE",
  examples: `ctl drain foo --ignore-daemonsets
ctl drain foo --force --grace-period=900
ctl drain -l rack=7 --pod-selector=app=web --dry-run=client`,
  flags: drainFlags,
  async run(context) {
    const selector = context.flags["pod-selector"];
    if (selector !== "" && !isLabelSelector(selector))
      throw new CtlError("--pod-selector=<pod_selector> must be a valid label selector");
    if (context.isSet("delete-local-data") && context.behaviour.warnsOfOldFlags)
      context.say(
        "Flag --delete-local-data has been deprecated, This option is deprecated and will be deleted. Use --delete-emptydir-data.",
      );
    const nodes = await findNodes(context);
    for (const node of nodes) await setCordon(context, node, true);
    for (const [at, node] of nodes.entries()) await drainNode(context, node, nodes.slice(at));
  },
});

function isLabelSelector(text: string): boolean {
  try {
    parseLabelSelector(text);
    return true;
  } catch {
    return false;
  }
}

/** `pending`: this node and the nodes after it. */
async function drainNode(context: DrainContext, target: ObjectTarget, pending: readonly ObjectTarget[]): Promise<void> {
  const resource = await findResource(context, "pods");
  const { doomed, refused, warnings } = await sortPods(context, target.name, resource);
  if (refused.size > 0)
    throw new CtlError(
      `unable to drain node "${target.name}", aborting command...\n\nThere are pending nodes to be drained:\n${pending.map(({ name }) => ` ${name}\n`).join("")}${refused.size === 1 ? "error: " : ""}${joined(refused).join("\n")}`,
    );
  if (warnings.size > 0) context.say(`WARNING: ${joined(warnings).join("; ")}`);
  const dryRun = dryRunOf(context);
  const suffix = dryRun === "client" ? " (dry run)" : dryRun === "server" ? " (server dry run)" : "";
  for (const pod of doomed) {
    const isDeleted = context.flags["disable-eviction"];
    if (!isDeleted || suffix !== "")
      context.print(`${isDeleted ? "deleting" : "evicting"} pod ${namespaceOf(pod)}/${nameOf(pod)}${suffix}\n`);
    if (dryRun === "none") await evict(context, resource, pod);
  }
  if (dryRun === "none") await Promise.all(doomed.map((pod) => waitLeft(context, resource, pod)));
  printResult(context, target.object, "drained", dryRun);
}

/** Names of pods by the reason that is printed about them. */
type Reasons = Map<string, string[]>;

const joined = (reasons: Reasons): string[] => [...reasons].map(([reason, names]) => `${reason}: ${names.join(", ")}`);

function add(reasons: Reasons, reason: string, pod: Json): void {
  reasons.set(reason, [...(reasons.get(reason) ?? []), `${namespaceOf(pod)}/${nameOf(pod)}`]);
}

const unmanaged = "Pods not managed by ReplicationController, ReplicaSet, Job, DaemonSet or StatefulSet";

async function sortPods(
  context: DrainContext,
  node: string,
  resource: DiscoveredResource,
): Promise<{ doomed: Json[]; refused: Reasons; warnings: Reasons }> {
  const { flags } = context;
  const [doomed, refused, warnings]: [Json[], Reasons, Reasons] = [[], new Map(), new Map()];
  const mirror = (await context.vocabulary()).word(mirrorAnnotation);
  const query = { fieldSelector: `spec.nodeName=${node}`, labelSelector: flags["pod-selector"] };
  for await (const pod of context.at(resource).items({ ...query, limit: flags["chunk-size"] })) {
    const { controller: owner, isDaemon, isOver, isOfNode, hasLocalData } = drainedPod(pod, mirror);
    const isLost = isDaemon && !(await hasDaemonSet(context, text(owner, "name"), namespaceOf(pod)));
    if (isOfNode || isSkipped(context, pod)) continue;
    if (isLost && !isOver && !flags.force) {
      add(refused, `cannot delete daemonsets.apps "${text(owner, "name")}" not found`, pod);
      continue;
    }
    if (isDaemon && !isLost && !isOver) {
      if (flags["ignore-daemonsets"]) add(warnings, "ignoring DaemonSet-managed Pods", pod);
      else add(refused, "cannot delete DaemonSet-managed Pods (use --ignore-daemonsets to ignore)", pod);
      continue;
    }
    const hasLocal = !isOver && hasLocalData;
    const isAlone = !isOver && owner === undefined;
    if (hasLocal && !flags["delete-emptydir-data"] && !flags["delete-local-data"]) {
      add(refused, "cannot delete Pods with local storage (use --delete-emptydir-data to override)", pod);
      continue;
    }
    if (isAlone && !flags.force) {
      add(refused, `cannot delete ${unmanaged} (use --force to override)`, pod);
      continue;
    }
    if (isAlone) add(warnings, `deleting ${unmanaged}`, pod);
    else if (hasLocal) add(warnings, "deleting Pods with local storage", pod);
    doomed.push(pod);
  }
  return { doomed, refused, warnings };
}

async function hasDaemonSet(context: Context, name: string, namespace: string): Promise<boolean> {
  const resource = await findResource(context, "daemonsets.apps");
  return (await findObject(context, { resource, namespace, name })) !== undefined;
}

/** Whether a pod has been terminating for so long that its end is not waited for. */
function isSkipped(context: DrainContext, pod: Json): boolean {
  const limitMs = context.flags["skip-wait-for-delete-timeout"] * 1000;
  const deleted = Date.parse(text(pod, "metadata", "deletionTimestamp"));
  return limitMs > 0 && !Number.isNaN(deleted) && context.environment.clock.now() - deleted > limitMs;
}

const pollMs = 250;

async function waitLeft(context: DrainContext, resource: DiscoveredResource, pod: Json): Promise<void> {
  const { clock } = context.environment;
  const timeoutMs = context.flags.timeout;
  const endMs = timeoutMs > 0 ? clock.monotonic() + timeoutMs : Number.POSITIVE_INFINITY;
  const place = { resource, namespace: namespaceOf(pod), name: nameOf(pod) };
  for (;;) {
    const live = await findObject(context, place);
    if (live === undefined || text(live, "metadata", "uid") !== text(pod, "metadata", "uid")) {
      context.print(`pod/${place.name} ${context.flags["disable-eviction"] ? "deleted" : "evicted"}\n`);
      return;
    }
    if (isSkipped(context, live)) {
      const seconds = context.flags["skip-wait-for-delete-timeout"];
      context.print(`pod "${place.name}" has DeletionTimestamp older than ${seconds} seconds, skipping\n`);
      return;
    }
    if (clock.monotonic() >= endMs) throw new TimedOut(`timed out waiting for the condition on pods/${place.name}`);
    await pause(context, pollMs);
  }
}

const evictionPauseMs = 5_000;

async function evict(context: DrainContext, resource: DiscoveredResource, pod: Json): Promise<void> {
  const grace = context.flags["grace-period"];
  const deleteOptions = grace < 0 ? {} : { gracePeriodSeconds: grace };
  const place = { namespace: namespaceOf(pod), name: nameOf(pod) };
  for (;;) {
    try {
      if (context.flags["disable-eviction"]) await context.at(resource).delete(place, deleteOptions);
      else await context.at(resource).subresource(place, "eviction", evictionOf(place, deleteOptions));
      return;
    } catch (error) {
      if (isNotFound(error)) return;
      if (!(error instanceof StatusError && error.code === 429)) throw error;
      context.say(
        `error when evicting pods/"${place.name}" -n "${place.namespace}" (will retry after 5s): ${error.message}`,
      );
      await pause(context, evictionPauseMs);
    }
  }
}
