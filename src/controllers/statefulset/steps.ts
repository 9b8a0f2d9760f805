/** The steps for the pods of a StatefulSet, in order, and its status afterwards. */

import type { StatefulSet, StatefulSetStatus } from "../../api/apps/v1/stateful-set.ts";
import type { Pod } from "../../api/core/v1/pod.ts";
import { scaledValue } from "../../machinery/values/integer.ts";
import { counted } from "../parts/counted.ts";
import { isDeleting, isPodAvailable, isPodReady, nextAvailableInMs } from "../parts/pods/state.ts";
import { hasIdentity, hasStorage, ordinalOf, revisionOf } from "./pod.ts";

/** At most this many pods are created in one pass; their events start the next. A set may have two billion replicas. */
export const podsPerPassMax = 500;

export type PodStep =
  | { readonly do: "create"; readonly ordinal: number; readonly revision: "current" | "update" }
  /** `failed`: because it has failed and is replaced. */
  | { readonly do: "delete"; readonly pod: Pod; readonly failed?: boolean }
  /** Its labels or claims do not match the set. */
  | { readonly do: "repair"; readonly pod: Pod; readonly ordinal: number };

interface StatefulSteps {
  readonly steps: readonly PodStep[];
  readonly status: StatefulSetStatus;
  /** When the next pod becomes available without an event; undefined: none does. */
  readonly reviewInMs: number | undefined;
}

interface StepsInput {
  readonly set: StatefulSet;
  /** All that it owns. */
  readonly pods: readonly Pod[];
  /** Names of the current and the update revision. */
  readonly current: string;
  readonly update: string;
  readonly collisionCount: number;
  readonly nameLabel: string;
  readonly nowMs: number;
  /** Whether pods must have been ready for some time, and are counted then: since 1.22. */
  readonly countsAvailable: boolean;
}

interface Counts {
  replicas: number;
  readyReplicas: number;
  currentReplicas: number;
  updatedReplicas: number;
}

const isRunningAndReady = (pod: Pod) => pod.status?.phase === "Running" && isPodReady(pod);

/** Others wait until a pod is healthy; with minReadySeconds it must have been ready for so long. */
const isHealthy = (pod: Pod, { set, nowMs }: StepsInput) =>
  isRunningAndReady(pod) && !isDeleting(pod) && isPodAvailable(pod, set.spec?.minReadySeconds ?? 0, nowMs);

/** The ordinals that the set has: from the first up to, not including, the end. */
export function ordinalsOf({ spec }: StatefulSet): { first: number; end: number } {
  const first = spec?.ordinals?.start ?? 0;
  return { first, end: first + (spec?.replicas ?? 1) };
}

export function planSteps(input: StepsInput): StatefulSteps {
  const { set, pods, current, update, collisionCount } = input;
  const counts: Counts = { replicas: 0, readyReplicas: 0, currentReplicas: 0, updatedReplicas: 0 };
  const byOrdinal = new Map<number, Pod>();
  for (const pod of pods) {
    counts.replicas += 1;
    if (isRunningAndReady(pod)) counts.readyReplicas += 1;
    if (!isDeleting(pod)) count(counts, revisionOf(pod), input, 1);
    const ordinal = ordinalOf(set, pod);
    if (ordinal !== undefined) byOrdinal.set(ordinal, pod);
  }
  const steps = isDeleting(set) ? [] : planPods(input, byOrdinal, counts);
  const isUpdated = counts.updatedReplicas === counts.replicas && counts.readyReplicas === counts.replicas;
  const completes = isRollingUpdate(set) && isUpdated;
  const minReadySeconds = set.spec?.minReadySeconds ?? 0;
  const isAvailable = (pod: Pod) => isRunningAndReady(pod) && isPodAvailable(pod, minReadySeconds, input.nowMs);
  return {
    steps,
    reviewInMs: nextAvailableInMs(pods, minReadySeconds, input.nowMs),
    status: {
      replicas: counts.replicas,
      ...(input.countsAvailable ? { availableReplicas: pods.filter(isAvailable).length } : {}),
      ...counted({
        observedGeneration: set.metadata.generation ?? 0,
        readyReplicas: counts.readyReplicas,
        currentReplicas: completes ? counts.updatedReplicas : counts.currentReplicas,
        updatedReplicas: counts.updatedReplicas,
      }),
      currentRevision: completes ? update : current,
      updateRevision: update,
      collisionCount,
      ...(set.status?.conditions === undefined ? {} : { conditions: set.status.conditions }),
    },
  };
}

const isRollingUpdate = (set: StatefulSet) => (set.spec?.updateStrategy?.type ?? "RollingUpdate") === "RollingUpdate";

function count(counts: Counts, revision: string, { current, update }: StepsInput, by: number): void {
  if (revision === current) counts.currentReplicas += by;
  if (revision === update) counts.updatedReplicas += by;
}

function planPods(input: StepsInput, byOrdinal: ReadonlyMap<number, Pod>, counts: Counts): PodStep[] {
  const { set } = input;
  const steps: PodStep[] = [];
  const isOrdered = set.spec?.podManagementPolicy !== "Parallel";
  const pass = { steps, counts, isOrdered, ...ordinalsOf(set) };
  if (!fillUp(input, byOrdinal, pass)) return steps;
  if (!takeAway(input, byOrdinal, pass)) return steps;
  if (!isRollingUpdate(set)) return steps;
  const { maxUnavailable } = set.spec?.updateStrategy?.rollingUpdate ?? {};
  if (maxUnavailable === undefined) replaceOne(input, byOrdinal, pass);
  else replaceSome(input, byOrdinal, pass, scaledValue(maxUnavailable, set.spec?.replicas ?? 1, "down") || 1);
  return steps;
}

interface Pass {
  readonly steps: PodStep[];
  readonly counts: Counts;
  /** One after the other, each only when all before it are ready. */
  readonly isOrdered: boolean;
  readonly first: number;
  readonly end: number;
}

/** Creates missing pods and repairs others, from the lowest ordinal upwards. False: the rest must wait. */
function fillUp(input: StepsInput, byOrdinal: ReadonlyMap<number, Pod>, pass: Pass): boolean {
  const { set, nameLabel } = input;
  const { steps, counts, isOrdered, first, end } = pass;
  for (let ordinal = first; ordinal < end; ordinal++) {
    const pod = byOrdinal.get(ordinal);
    const isFailed = pod?.status?.phase === "Failed";
    if (pod !== undefined && isFailed) {
      steps.push({ do: "delete", pod, failed: true });
      if (!isDeleting(pod)) count(counts, revisionOf(pod), input, -1);
      counts.replicas -= 1;
    }
    if (pod === undefined || isFailed) {
      const revision = revisionFor(set, ordinal);
      steps.push({ do: "create", ordinal, revision });
      counts.replicas += 1;
      count(counts, input[revision], input, 1);
      if (isOrdered || steps.length >= podsPerPassMax) return false;
      continue;
    }
    if (isOrdered && !isHealthy(pod, input)) return false;
    if (!hasIdentity(pod, nameLabel) || !hasStorage(set, pod, ordinal)) steps.push({ do: "repair", pod, ordinal });
  }
  return true;
}

/** Deletes superfluous pods, from the highest ordinal downwards. False: the rest must wait. */
function takeAway(input: StepsInput, byOrdinal: ReadonlyMap<number, Pod>, pass: Pass): boolean {
  const { steps, counts, isOrdered, first, end } = pass;
  const ordinals = [...byOrdinal.keys()].sort((a, b) => a - b);
  const firstUnhealthy = ordinals.find((ordinal) => !isHealthy(byOrdinal.get(ordinal) as Pod, input)); // it has the key
  for (const ordinal of ordinals.filter((each) => each < first || each >= end).reverse()) {
    const pod = byOrdinal.get(ordinal);
    if (pod === undefined) continue;
    if (isDeleting(pod)) {
      if (isOrdered) return false;
      continue;
    }
    // An unhealthy pod is deleted only if it is the one that delays all others.
    if (isOrdered && !isRunningAndReady(pod) && ordinal !== firstUnhealthy) return false;
    steps.push({ do: "delete", pod });
    count(counts, revisionOf(pod), input, -1);
    if (isOrdered) return false;
  }
  return true;
}

/** Deletes the highest pod of an old revision above the partition, once all above it are healthy. */
function replaceOne(input: StepsInput, byOrdinal: ReadonlyMap<number, Pod>, pass: Pass): void {
  const { set, update } = input;
  const partition = pass.first + (set.spec?.updateStrategy?.rollingUpdate?.partition ?? 0);
  for (let ordinal = pass.end - 1; ordinal >= partition; ordinal--) {
    const pod = byOrdinal.get(ordinal);
    // It is made in this very pass.
    if (pod === undefined || pod.status?.phase === "Failed") return;
    if (revisionOf(pod) !== update && !isDeleting(pod)) {
      pass.steps.push({ do: "delete", pod });
      pass.counts.currentReplicas -= 1;
      return;
    }
    if (!isHealthy(pod, input)) return;
  }
}

/** Deletes the highest pods of an old revision above the partition, as long as no more than `max` pods of the set are not available. */
function replaceSome(input: StepsInput, byOrdinal: ReadonlyMap<number, Pod>, pass: Pass, max: number): void {
  const { set, update } = input;
  const partition = pass.first + (set.spec?.updateStrategy?.rollingUpdate?.partition ?? 0);
  const meant = [...byOrdinal].filter(([ordinal]) => ordinal >= pass.first && ordinal < pass.end);
  const available = meant.filter(([, pod]) => isHealthy(pod, input)).length;
  const old = meant
    .filter(([ordinal, pod]) => ordinal >= partition && revisionOf(pod) !== update && !isDeleting(pod))
    .sort(([a], [b]) => b - a);
  for (const [, pod] of old.slice(0, Math.max(0, max - (pass.end - pass.first - available)))) {
    pass.steps.push({ do: "delete", pod });
    pass.counts.currentReplicas -= 1;
  }
}

/** Pods below the partition stay at the current revision; so do, without a partition, those that were not updated yet. */
function revisionFor(set: StatefulSet, ordinal: number): "current" | "update" {
  if (!isRollingUpdate(set)) return "update";
  const rolling = set.spec?.updateStrategy?.rollingUpdate;
  const below = rolling === undefined ? (set.status?.currentReplicas ?? 0) : (rolling.partition ?? 0);
  return ordinal < ordinalsOf(set).first + below ? "current" : "update";
}
