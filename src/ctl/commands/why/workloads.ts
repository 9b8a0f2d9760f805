/** Why workloads are not available: what their controllers report, and what is wrong with their pods. */

import type { Context } from "../../context.ts";
import { findResource } from "../../input/lookups.ts";
import { type Json, list, nameOf, namespaceOf, number, object, text } from "../../json.ts";
import { warningLines } from "./events.ts";
import { conditionLines, type Explainer, type Explanation, indented } from "./explanation.ts";
import { explainPod, isReadyPod } from "./pod.ts";

/** How many pods of a workload are examined, and how many different troubles are told. */
export const podsExaminedMax = 20;
export const troublesMax = 3;

interface Workload {
  readonly kind: string;
  /** How many pods it wants, and how many of them are as they should be. */
  readonly wanted: (object: Json) => number;
  readonly available: (object: Json) => number;
}

const count = (value: Json, ...path: string[]): number => number(value, ...path) ?? 0;
const replicas = (value: Json): number => number(value, "spec", "replicas") ?? 1;

const workloads: readonly Workload[] = [
  { kind: "Deployment", wanted: replicas, available: (one) => count(one, "status", "availableReplicas") },
  { kind: "ReplicaSet", wanted: replicas, available: (one) => count(one, "status", "availableReplicas") },
  { kind: "StatefulSet", wanted: replicas, available: (one) => count(one, "status", "readyReplicas") },
  {
    kind: "DaemonSet",
    wanted: (one) => count(one, "status", "desiredNumberScheduled"),
    available: (one) => count(one, "status", "numberAvailable"),
  },
];

export const workloadExplainers: readonly Explainer[] = [
  ...workloads.map((workload) => ({
    kind: workload.kind,
    group: "apps",
    explain: (context: Context, object: Json) => explainWorkload(context, object, workload),
  })),
  { kind: "Job", group: "batch", explain: explainJob },
  { kind: "CronJob", group: "batch", explain: explainCronJob },
];

async function explainWorkload(context: Context, value: Json, workload: Workload): Promise<Explanation> {
  const [wanted, available] = [workload.wanted(value), workload.available(value)];
  const isSeen = count(value, "metadata", "generation") <= count(value, "status", "observedGeneration");
  const paused = object(value, "spec")["paused"] === true;
  const lines = [
    ...(isSeen ? [] : ["its controller has not seen the last change yet; perhaps it does not run"]),
    ...(paused ? ["it is paused: changes of its template wait until it is resumed"] : []),
    ...conditionLines(value, isTrouble),
  ];
  if (isSeen && available >= wanted)
    return { summary: wanted === 0 ? "is to have no pods" : `has all ${wanted} pods available`, lines };
  // The conditions tell what hinders the creation of pods only for some kinds; Events do for all.
  const owners = [value, ...(await ownedBy(context, value, "replicasets"))];
  const warnings: string[] = [];
  for (const owner of owners) warnings.push(...(await warningLines(context, owner, (event) => isIn(lines, event))));
  const pods = await podsOf(context, owners);
  const troubles = await podTroubles(context, pods);
  const missing = wanted - pods.length;
  const few = missing > 0 && pods.length > 0 ? [`${pods.length} of ${wanted} pods exist`] : [];
  const none = pods.length === 0 && wanted > 0 ? ["none of its pods exists"] : [];
  return {
    summary: `is not available: ${available} of ${wanted} pods are`,
    lines: [...lines, ...few, ...none, ...new Set(warnings), ...troubles],
  };
}

/** Conditions name the reason of an Event. */
const isIn = (lines: readonly string[], event: Json): boolean =>
  lines.some((line) => line.includes(`(${text(event, "reason")})`));

/** What conditions of workloads report as a failure; that replicas are missing is said already. */
const isTrouble = (condition: Json): boolean =>
  (condition["type"] === "ReplicaFailure" && condition["status"] === "True") ||
  (condition["type"] === "Progressing" && condition["status"] === "False");

/** Each trouble once, with the first pod that has it. */
async function podTroubles(context: Context, pods: readonly Json[]): Promise<string[]> {
  const groups = new Map<string, { readonly name: string; readonly told: Explanation; more: number }>();
  for (const pod of pods.filter((one) => !isReadyPod(one)).slice(0, podsExaminedMax)) {
    if (text(pod, "metadata", "deletionTimestamp") !== "") continue;
    const told = await explainPod(context, pod);
    const key = told.trouble ?? told.summary;
    const known = groups.get(key);
    if (known === undefined) groups.set(key, { name: nameOf(pod), told, more: 0 });
    else known.more++;
  }
  return [...groups.values()].slice(0, troublesMax).flatMap(({ name, told, more }) => {
    const others = more === 0 ? "" : more === 1 ? " (another one likewise)" : ` (${more} others likewise)`;
    return [`pod/${name}${others} ${told.summary}`, ...indented(told.lines)];
  });
}

async function podsOf(context: Context, owners: readonly Json[]): Promise<Json[]> {
  const found: Json[] = [];
  for (const owner of owners) found.push(...(await ownedBy(context, owner, "pods")));
  return found;
}

/** The objects of a resource that the owner controls; none if the caller may not list them. */
async function ownedBy(context: Context, owner: Json, resource: string): Promise<Json[]> {
  const uid = text(owner, "metadata", "uid");
  const found: Json[] = [];
  try {
    const at = context.at(await findResource(context, resource));
    for await (const one of at.items({ namespace: namespaceOf(owner) }))
      if (list(one, "metadata", "ownerReferences").some((reference) => text(reference, "uid") === uid)) found.push(one);
  } catch {
    return [];
  }
  return found;
}

async function explainJob(context: Context, job: Json): Promise<Explanation> {
  const isSet = (type: string) =>
    list(job, "status", "conditions").some((one) => one["type"] === type && one["status"] === "True");
  if (isSet("Complete")) return { summary: "is complete", lines: [] };
  const pods = await ownedBy(context, job, "pods");
  const failed = conditionLines(job, (one) => one["type"] === "Failed" && one["status"] === "True");
  if (failed.length > 0) return { summary: "has failed", lines: [...failed, ...(await podTroubles(context, pods))] };
  if (object(job, "spec")["suspend"] === true)
    return { summary: "is suspended", lines: ["spec.suspend: false starts its pods"] };
  const done = `${count(job, "status", "succeeded")} of ${number(job, "spec", "completions") ?? 1}`;
  const warnings = await warningLines(context, job);
  return {
    summary: `is not complete: ${done} pods have succeeded, ${count(job, "status", "failed")} have failed`,
    lines: [...warnings, ...(await podTroubles(context, pods))],
  };
}

async function explainCronJob(context: Context, cron: Json): Promise<Explanation> {
  const last = text(cron, "status", "lastScheduleTime");
  const ran = last === "" ? "it has not run yet" : `it ran last at ${last}`;
  if (object(cron, "spec")["suspend"] === true) return { summary: "is suspended", lines: [ran] };
  const warnings = await warningLines(context, cron);
  return { summary: `runs at "${text(cron, "spec", "schedule")}"`, lines: [ran, ...warnings] };
}
