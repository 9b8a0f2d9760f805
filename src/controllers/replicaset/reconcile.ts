/** How many pods a ReplicaSet or a ReplicationController has too few or too many, and its status. */

import type { ReplicaSetCondition, ReplicaSetStatus } from "../../api/apps/v1/replica-set.ts";
import type { PodTemplateSpec } from "../../api/core/v1/pod/spec.ts";
import type { Pod } from "../../api/core/v1/pod.ts";
import type { AnyObject } from "../../client/contract.ts";
import type { Kind } from "../../machinery/schema/kind.ts";
import type { ObjectMeta, OwnerReference } from "../../machinery/schema/object-meta.ts";
import { timeText } from "../../machinery/values/time.ts";
import { counted } from "../parts/counted.ts";
import { type DeletionOrder, inDeletionOrder } from "../parts/pods/deletion-order.ts";
import { podFromTemplate } from "../parts/pods/from-template.ts";
import { isDeleting, isPodAvailable, isPodReady, nextAvailableInMs } from "../parts/pods/state.ts";
import { messageOf, type NewPod, type Plan, statusOf } from "../plan.ts";

/** At most this many pods are created or deleted in one pass. */
export const burstReplicasMax = 500;

interface ReplicaSetInput<T extends AnyObject & ReplicaOwner> {
  readonly kind: Kind<T>;
  readonly owner: T;
  /** The owner reference of new pods. */
  readonly reference: OwnerReference;
  /** The active ones that it owns. */
  readonly pods: readonly Pod[];
  /** All pods of owners that belong together with this one; only the order of deletion depends on them, and they may be many. */
  readonly related: () => readonly Pod[];
  /** The annotation with the cost of a deletion. */
  readonly costKey: string;
  /** Whether the cache shows all earlier writes; otherwise pods are only counted. */
  readonly isSynced: boolean;
  /** How many of its pods are being deleted and have not ended. Absent: the status does not say. */
  readonly terminating?: number | undefined;
  readonly nowMs: number;
}

/** Creates or deletes pods, then writes the status; a failure becomes a condition. */
export function planReplicaSet<T extends AnyObject & ReplicaOwner>(input: ReplicaSetInput<T>): Plan {
  const { kind, owner, pods, nowMs, terminating } = input;
  const finish = (failure?: string): Plan => ({
    about: owner,
    status: statusOf(kind, owner, replicaStatus(owner, pods, { nowMs, failure, terminating })),
    reviewInMs: reviewInMs(owner, pods, nowMs),
  });
  const changes = input.isSynced && !isDeleting(owner) ? podChanges(input) : undefined;
  if (changes === undefined) return finish();
  return { about: owner, pods: changes, next: () => finish(), failed: (error) => finish(messageOf(error)) };
}

function podChanges({ owner, pods, related, costKey, reference }: ReplicaSetInput<AnyObject & ReplicaOwner>) {
  const isTooMany = pods.length > wantedReplicas(owner);
  const plan = planReplicas(owner, pods, { costKey, related: isTooMany ? related() : [] });
  switch (plan.action) {
    case "none":
      return undefined;
    case "create":
      return { create: Array<NewPod>(plan.count).fill(podFromTemplate(owner.spec?.template, reference)) };
    case "delete":
      return { delete: plan.pods, reason: "there are more pods than spec.replicas" };
  }
}

/** What both kinds have in common. */
export interface ReplicaOwner {
  metadata: ObjectMeta;
  spec?: { replicas?: number; minReadySeconds?: number; template?: PodTemplateSpec };
  status?: ReplicaSetStatus;
}

type ReplicaPlan =
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

const wantedReplicas = (owner: ReplicaOwner): number => owner.spec?.replicas ?? 1;

/** `failure`: why pods could not be made or deleted just now. */
export function replicaStatus(
  owner: ReplicaOwner,
  pods: readonly Pod[],
  at: { readonly nowMs: number; readonly failure?: string | undefined; readonly terminating?: number | undefined },
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
    ...(at.terminating === undefined ? {} : { terminatingReplicas: at.terminating }),
  };
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

/** When a pod that is ready becomes available without a further event; undefined: no pod waits for that. */
export const reviewInMs = (owner: ReplicaOwner, pods: readonly Pod[], nowMs: number): number | undefined =>
  nextAvailableInMs(pods, owner.spec?.minReadySeconds ?? 0, nowMs);
