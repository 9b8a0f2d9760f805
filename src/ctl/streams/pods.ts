/**
 * Resolves an argument to pods: a pod by its name, or those that a workload or a service selects, the most active
 * first.
 */

import { string } from "../../base/flags/flag.ts";
import type { DiscoveredResource } from "../../client/contract.ts";
import type { Context } from "../context.ts";
import { selectorText } from "../describe/selector.ts";
import { CtlError } from "../errors.ts";
import { findResource } from "../input/lookups.ts";
import { dig, type Json, list, nameOf, number, object, text } from "../json.ts";
import { pause } from "../pause.ts";

export const containerFlag = {
  container: string("The container. Default: the one that an annotation of the pod names, or the first", "", {
    short: "c",
  }),
};

/** Kinds that select pods. */
const selectable = new Set([
  "DaemonSet",
  "Deployment",
  "Job",
  "ReplicaSet",
  "ReplicationController",
  "Service",
  "StatefulSet",
]);

const pollMs = 500;

interface FoundPods {
  /** The named object: the pod itself, or the object that selects pods. */
  readonly object: Json;
  readonly kind: string;
  /** At least one, the most active first. */
  readonly pods: readonly Json[];
}

interface PodQuestion {
  /** "POD" or "TYPE/NAME". */
  readonly word: string;
  /** The operation for error messages: "attach to". */
  readonly purpose: string;
  /** Default: the namespace of the request. */
  readonly namespace?: string | undefined;
}

/** Waits for `--pod-running-timeout` until there is one. */
export async function findPods(context: Context, question: PodQuestion): Promise<FoundPods> {
  const { word, purpose, namespace = context.namespace } = question;
  const pods = await findResource(context, "pods");
  const [type = "", name = "", ...more] = word.includes("/") ? word.split("/") : ["pods", word];
  if (more.length > 0 || type === "" || name === "")
    throw new CtlError("arguments in resource/name form may not have more than one slash");
  const resource = await findResource(context, type);
  const named = await context.at(resource).get({ namespace, name });
  if (resource.kind === "Pod") return { object: named, kind: "Pod", pods: [named] };
  const labelSelector = selectorOf(resource, named, purpose);
  const { "pod-running-timeout": timeoutMs = 0 } = context.flags;
  if (context.flags["pod-running-timeout"] !== undefined && timeoutMs <= 0)
    throw new CtlError("--pod-running-timeout must be higher than zero");
  const { clock } = context.environment;
  for (const endMs = clock.monotonic() + timeoutMs; ; ) {
    const found: Json[] = [];
    for await (const pod of context.at(pods).items({ namespace, labelSelector })) found.push(pod);
    if (found.length > 0) return { object: named, kind: resource.kind, pods: found.sort(byActivity) };
    if (clock.monotonic() >= endMs)
      throw new CtlError(`${resource.resource} "${name}" has no pods: timed out waiting for the condition`);
    await pause(context, pollMs);
  }
}

function selectorOf(resource: DiscoveredResource, named: Json, purpose: string): string {
  const shown = `*${resource.version}.${resource.kind}`;
  if (!selectable.has(resource.kind))
    throw new CtlError(`cannot ${purpose} ${shown}: selector for ${shown} not implemented`);
  const selector = selectorText(object(named, "spec")["selector"]);
  if (selector === "<none>" && resource.kind === "Service")
    throw new CtlError(
      `cannot ${purpose} ${shown}: invalid service '${nameOf(named)}': Service is defined without a selector`,
    );
  if (selector === "<none>") throw new CtlError(`${resource.resource} "${nameOf(named)}" selects no pods`);
  return selector;
}

const phases: Readonly<Record<string, number>> = { Running: 2, Unknown: 1 };

/**
 * Scheduled before unscheduled; running before pending; ready before unready, longer ready first; few restarts before
 * many; old before new.
 */
export function byActivity(a: Json, b: Json): number {
  const facts = (pod: Json): (number | string)[] => {
    const ready = list(pod, "status", "conditions").find((one) => one["type"] === "Ready" && one["status"] === "True");
    const restarts = list(pod, "status", "containerStatuses").map((one) => number(one, "restartCount") ?? 0);
    return [
      text(pod, "spec", "nodeName") === "" ? 1 : 0,
      -(phases[text(pod, "status", "phase")] ?? 0),
      ready === undefined ? 1 : 0,
      text(ready, "lastTransitionTime") || "~", // later than any time
      Math.max(0, ...restarts),
      text(pod, "metadata", "creationTimestamp") || "~",
    ];
  };
  const [left, right] = [facts(a), facts(b)];
  for (const [at, one] of left.entries()) {
    const other = right[at]!;
    if (one !== other) return one < other ? -1 : 1;
  }
  return 0;
}

/** The names of all containers of a pod for messages: "a, b (init)". */
function containerNames(pod: Json): string {
  const names = (field: string, suffix: string) =>
    list(pod, "spec", field).map((one) => `${text(one, "name")}${suffix}`);
  return [
    ...names("containers", ""),
    ...names("ephemeralContainers", " (ephem)"),
    ...names("initContainers", " (init)"),
  ].join(", ");
}

export function findContainer(pod: Json, name: string): Json | undefined {
  return ["containers", "initContainers", "ephemeralContainers"]
    .flatMap((field) => list(pod, "spec", field))
    .find((one) => one["name"] === name);
}

/** The named container, or the default one, in which case a message says so. */
export async function chosenContainer(context: Context, pod: Json, wanted: string, isQuiet = false): Promise<Json> {
  if (wanted !== "") {
    const container = findContainer(pod, wanted);
    if (container === undefined) throw new CtlError(`container ${wanted} not found in pod ${nameOf(pod)}`);
    return container;
  }
  const annotation = (await context.vocabulary()).word("ctl.orch.io/default-container");
  const annotated = findContainer(pod, text(pod, "metadata", "annotations", annotation));
  if (annotated !== undefined) return annotated;
  const [first] = list(pod, "spec", "containers");
  if (first === undefined)
    throw new CtlError(`pod ${text(pod, "metadata", "namespace")}/${nameOf(pod)} does not have any containers`);
  const names = containerNames(pod);
  if (!isQuiet && names.includes(", ")) context.say(`Defaulted container "${text(first, "name")}" out of: ${names}`);
  return first;
}

/** Whether all processes of a pod have ended. */
export function isCompleted(pod: Json): boolean {
  return ["Succeeded", "Failed"].includes(text(pod, "status", "phase"));
}

export const isTrue = (value: unknown, ...path: readonly string[]): boolean => dig(value, ...path) === true;
