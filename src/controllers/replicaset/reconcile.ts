/** How many pods a ReplicaSet or a ReplicationController has too few or too many, and its status. */

import type { ReplicaSetCondition, ReplicaSetStatus } from "../../api/apps/v1/replica-set.ts";
import type { PodTemplateSpec } from "../../api/core/v1/pod/spec.ts";
import type { Pod } from "../../api/core/v1/pod.ts";
import type { ObjectMeta } from "../../machinery/schema/object-meta.ts";
import { sameValue } from "../../machinery/schema/same-value.ts";
import { timeText } from "../../machinery/values/time.ts";
import { type DeletionOrder, inDeletionOrder } from "../parts/pods/deletion-order.ts";
import { isPodAvailable, isPodReady, nextAvailableInMs } from "../parts/pods/state.ts";

/** At most this many pods are created or deleted in one pass. */
export const burstReplicasMax = 500;

/** What both kinds have in common. */
export interface ReplicaOwner {
  metadata: ObjectMeta;
  spec?: { replicas?: number; minReadySeconds?: number; template?: PodTemplateSpec };
  status?: ReplicaSetStatus;
}

export type ReplicaPlan =
  | { readonly action: "none" }
  | { readonly action: "create"; readonly count: number }
  | { readonly action: "delete"; readonly pods: readonly Pod[] };

/** `pods` are the active ones that it owns. */
export function planReplicas(owner: ReplicaOwner, pods: readonly Pod[], order: DeletionOrder): ReplicaPlan {
  const difference = pods.length - wantedReplicas(owner);
  if (difference === 0) return { action: "none" };
  if (difference < 0) return { action: "create", count: Math.min(-difference, burstReplicasMax) };
  const count = Math.min(difference, burstReplicasMax);
  return { action: "delete", pods: inDeletionOrder(pods, order).slice(0, count) };
}

export const wantedReplicas = (owner: ReplicaOwner): number => owner.spec?.replicas ?? 1;

/** `failure`: why pods could not be made or deleted just now. */
export function replicaStatus(
  owner: ReplicaOwner,
  pods: readonly Pod[],
  at: { readonly nowMs: number; readonly failure?: string | undefined },
): ReplicaSetStatus {
  const { minReadySeconds = 0, template } = owner.spec ?? {};
  const labels = Object.entries(template?.metadata?.labels ?? {});
  const count = (matches: (pod: Pod) => boolean) => pods.reduce((sum, pod) => sum + (matches(pod) ? 1 : 0), 0);
  const conditions = failureConditions(owner, pods.length, at);
  return {
    replicas: pods.length,
    ...counted({
      fullyLabeledReplicas: count((pod) => labels.every(([key, value]) => pod.metadata.labels?.[key] === value)),
      readyReplicas: count(isPodReady),
      availableReplicas: count((pod) => isPodAvailable(pod, minReadySeconds, at.nowMs)),
      observedGeneration: owner.metadata.generation ?? 0,
    }),
    ...(conditions.length === 0 ? {} : { conditions }),
  };
}

/** Zeros are omitted, as the server does. */
export function counted<K extends string>(counts: Record<K, number>): Partial<Record<K, number>> {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0)) as Partial<Record<K, number>>;
}

function failureConditions(
  owner: ReplicaOwner,
  pods: number,
  { nowMs, failure }: { readonly nowMs: number; readonly failure?: string | undefined },
): ReplicaSetCondition[] {
  const conditions = owner.status?.conditions ?? [];
  const others = conditions.filter(({ type }) => type !== "ReplicaFailure");
  if (failure === undefined) return others;
  // The first failure stays, with its time and message, until pods can be made or deleted again.
  if (others.length < conditions.length) return conditions;
  const condition: ReplicaSetCondition = {
    type: "ReplicaFailure",
    status: "True",
    lastTransitionTime: timeText(nowMs),
    reason: pods < wantedReplicas(owner) ? "FailedCreate" : "FailedDelete",
    message: failure,
  };
  return [...others, condition];
}

export const isStatusCurrent = (owner: ReplicaOwner, status: ReplicaSetStatus): boolean =>
  sameValue(owner.status, status);

/** When a pod that is ready becomes available without a further event; undefined: no pod waits for that. */
export const reviewInMs = (owner: ReplicaOwner, pods: readonly Pod[], nowMs: number): number | undefined =>
  nextAvailableInMs(pods, owner.spec?.minReadySeconds ?? 0, nowMs);
