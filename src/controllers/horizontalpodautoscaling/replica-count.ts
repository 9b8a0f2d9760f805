/** Computes the number of replicas from measurements of pods, including missing and unready ones. */

import type { Pod } from "../../api/core/v1/pod.ts";
import { isDeleting, isPodReady, podCondition, timeMs } from "../parts/pods/state.ts";
import { milliOf, type PodMetric, type PodMetrics } from "./metrics-api.ts";

/** How far a metric may be above and below its target before anything is scaled: 0.1 is a tenth. */
export interface Tolerance {
  readonly up: number;
  readonly down: number;
}

/** `ratio`: of the metric to its target. */
const isTolerated = (ratio: number, { up, down }: Tolerance): boolean =>
  ratio > 1 ? ratio - 1 <= up : 1 - ratio <= down;

export interface CountSettings {
  readonly tolerance: Tolerance;
  readonly cpuInitializationPeriodMs: number;
  readonly initialReadinessDelayMs: number;
  readonly nowMs: number;
}

export interface Proposal {
  readonly replicas: number;
  /** The average over all pods that were measured, in thousandths. */
  readonly averageMilli: number;
  /** In percent of what was requested. */
  readonly utilization?: number;
}

interface Groups {
  readonly ready: number;
  readonly unready: Set<string>;
  readonly missing: Set<string>;
  readonly ignored: Set<string>;
}

function groupPods(pods: readonly Pod[], metrics: PodMetrics, resource: string, settings: CountSettings): Groups {
  const groups = { ready: 0, unready: new Set<string>(), missing: new Set<string>(), ignored: new Set<string>() };
  for (const pod of pods) {
    const { name = "" } = pod.metadata;
    const metric = metrics.get(name);
    if (isDeleting(pod) || pod.status?.phase === "Failed") groups.ignored.add(name);
    else if (pod.status?.phase === "Pending") groups.unready.add(name);
    else if (metric === undefined) groups.missing.add(name);
    else if (resource === "cpu" && isWarmingUp(pod, metric, settings)) groups.unready.add(name);
    else groups.ready += 1;
  }
  return groups;
}

/** A starting pod uses more than it will later. */
function isWarmingUp(pod: Pod, metric: PodMetric, settings: CountSettings): boolean {
  const ready = podCondition(pod, "Ready");
  const startedMs = timeMs(pod.status?.startTime);
  if (ready === undefined || startedMs === undefined) return true;
  const sinceMs = timeMs(ready.lastTransitionTime) ?? 0;
  if (startedMs + settings.cpuInitializationPeriodMs > settings.nowMs) {
    return ready.status === "False" || metric.atMs < sinceMs + metric.windowMs;
  }
  return ready.status === "False" && startedMs + settings.initialReadinessDelayMs > sinceMs;
}

interface Measure {
  readonly ratio: number;
  readonly averageMilli: number;
  readonly utilization?: number;
}

interface Counting {
  readonly current: number;
  readonly pods: readonly Pod[];
  readonly metrics: PodMetrics;
  readonly resource: string;
  readonly settings: CountSettings;
  readonly measure: (metrics: PodMetrics) => Measure;
  /** The assumed usage of a pod without a measurement when scaling down. */
  readonly assumedMilli: (pod: string) => number;
}

function count({ current, pods, metrics, resource, settings, measure, assumedMilli }: Counting): Proposal {
  if (pods.length === 0) throw new Error("no pods returned by selector while calculating replica count");
  const { ready, unready, missing, ignored } = groupPods(pods, metrics, resource, settings);
  const counted: PodMetrics = new Map([...metrics].filter(([name]) => !ignored.has(name) && !unready.has(name)));
  if (counted.size === 0) throw new Error("did not receive metrics for any ready pods");
  const { ratio, ...measured } = measure(counted);
  const isWithin = (value: number) => isTolerated(value, settings.tolerance);
  const stay = { replicas: current, ...measured };
  const fillsUnready = unready.size > 0 && ratio > 1;
  if (!fillsUnready && missing.size === 0) {
    return isWithin(ratio) ? stay : { replicas: Math.ceil(ratio * ready), ...measured };
  }
  // Unknown pods are assumed to use what changes the number least.
  const filled = new Map(counted);
  const assume = (name: string, milli: number) => filled.set(name, { milli, atMs: 0, windowMs: 0 });
  if (ratio !== 1) for (const name of missing) assume(name, ratio < 1 ? assumedMilli(name) : 0);
  if (fillsUnready) for (const name of unready) assume(name, 0);
  const { ratio: next } = measure(filled);
  if (isWithin(next) || (ratio < 1 && next > 1) || (ratio > 1 && next < 1)) return stay;
  const replicas = Math.ceil(next * filled.size);
  const isAgainst = (next < 1 && replicas > current) || (next > 1 && replicas < current);
  return isAgainst ? stay : { replicas, ...measured };
}

interface ResourceTarget {
  readonly resource: string;
  readonly container?: string | undefined;
  /** In percent of what is requested. */
  readonly utilization: number;
}

/** By the usage in percent of the request. */
export function countByUtilization(
  current: number,
  pods: readonly Pod[],
  metrics: PodMetrics,
  target: ResourceTarget,
  settings: CountSettings,
): Proposal {
  const requests = requestsOf(pods, target);
  return count({
    current,
    pods,
    metrics,
    resource: target.resource,
    settings,
    assumedMilli: (name) => requests.get(name) ?? 0,
    measure(counted) {
      let [used, requested, measured] = [0, 0, 0];
      for (const [name, { milli }] of counted) {
        const request = requests.get(name);
        if (request === undefined) continue;
        used += milli;
        requested += request;
        measured += 1;
      }
      if (requested === 0) throw new Error("no metrics returned matched known pods");
      const utilization = Math.trunc((used * 100) / requested);
      return { ratio: utilization / target.utilization, averageMilli: Math.trunc(used / measured), utilization };
    },
  });
}

/** By the average of their values. */
export function countByAverage(
  current: number,
  pods: readonly Pod[],
  metrics: PodMetrics,
  target: { readonly resource: string; readonly milli: number },
  settings: CountSettings,
): Proposal {
  return count({
    current,
    pods,
    metrics,
    resource: target.resource,
    settings,
    assumedMilli: () => target.milli,
    measure(counted) {
      const total = [...counted.values()].reduce((sum, { milli }) => sum + milli, 0);
      const averageMilli = Math.trunc(total / counted.size);
      return { ratio: averageMilli / target.milli, averageMilli };
    },
  });
}

function requestsOf(pods: readonly Pod[], target: ResourceTarget): Map<string, number> {
  return new Map(pods.map((pod) => [pod.metadata.name ?? "", requestOf(pod, target)]));
}

/** What the pod as a whole requests; otherwise its containers, and those beside them that run as long. */
function requestOf({ metadata, spec }: Pod, { resource, container }: ResourceTarget): number {
  const whole = container === undefined ? milliOf(spec?.resources?.requests?.[resource]) : undefined;
  if (whole !== undefined) return whole;
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always");
  let sum = 0;
  for (const { name, resources } of [...(spec?.containers ?? []), ...sidecars]) {
    if (container !== undefined && name !== container) continue;
    const milli = milliOf(resources?.requests?.[resource]);
    if (milli === undefined)
      throw new Error(`missing request for ${resource} in container ${name} of pod ${metadata.name}`);
    sum += milli;
  }
  return sum;
}

/** By one value for all pods together. */
export function countByValue(current: number, ratio: number, pods: readonly Pod[], tolerance: Tolerance): number {
  if (current === 0) return Math.ceil(ratio);
  if (isTolerated(ratio, tolerance)) return current;
  const ready = pods.filter((pod) => pod.status?.phase === "Running" && isPodReady(pod)).length;
  return Math.ceil(ratio * ready);
}

/** By such a value divided by the number of pods. */
export function countByShare(current: number, totalMilli: number, targetMilli: number, tolerance: Tolerance): number {
  const ratio = totalMilli / (targetMilli * current);
  return isTolerated(ratio, tolerance) ? current : Math.ceil(totalMilli / targetMilli);
}
