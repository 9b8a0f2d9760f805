/** Which pods of a Job to create and delete, and whether it has failed. */

import type { Job } from "../../api/batch/v1/job.ts";
import type { Pod } from "../../api/core/v1/pod.ts";
import { inDeletionOrder } from "../parts/pods/deletion-order.ts";
import { isDeleting, isPodActive, timeMs } from "../parts/pods/state.ts";
import { indexesText, indexOf, isIndexed, pendingIndexes, succeededIndexes, superfluous } from "./indexes.ts";

/** At most this many pods are created or deleted in one pass. */
export const podsPerSyncMax = 500;

export interface JobContext {
  readonly nowMs: number;
  /** The annotation with the index of a pod. */
  readonly indexKey: string;
  /** The gate SuspendJob. */
  readonly suspends: boolean;
  /** Whether the cache shows all earlier writes; otherwise pods are only counted. */
  readonly isSynced: boolean;
}

export interface JobPodCounts {
  active: number;
  succeeded: number;
  failed: number;
  /** Only for an Indexed job. */
  completedIndexes?: string;
}

export interface PodFailure {
  readonly reason: string;
  readonly message: string;
}

export interface JobPlan {
  readonly counts: JobPodCounts;
  /** Why the job has failed; its active pods are deleted after that was written. */
  readonly failure?: PodFailure;
  readonly delete: readonly Pod[];
  readonly create: number;
  /** The indexes of the pods to create, in an Indexed job. */
  readonly indexes?: readonly number[];
  /** Whether pods were reconciled: only then the condition Suspended changes. */
  readonly isManaged: boolean;
  /** More pods have failed than the status says: the next ones are made with a growing delay. */
  readonly hasNewFailure: boolean;
}

export const isSuspended = (job: Job, { suspends }: Pick<JobContext, "suspends">): boolean =>
  suspends && job.spec?.suspend === true;

/** `pods`: all that it owns, ended ones as well. */
export function planJobPods(job: Job, pods: readonly Pod[], context: JobContext): JobPlan {
  const active = pods.filter(isPodActive);
  const counts = countPods(job, pods, active.length, context);
  const hasNewFailure = counts.failed > (job.status?.failed ?? 0);
  const failure = failureOf(job, pods, counts, hasNewFailure, context);
  const idle = { counts, delete: [], create: 0, hasNewFailure };
  if (failure !== undefined) return { ...idle, failure, delete: active, isManaged: false };
  if (!context.isSynced || isDeleting(job)) return { ...idle, isManaged: false };
  return { ...idle, isManaged: true, ...planPods(job, pods, active, counts, context) };
}

function countPods(job: Job, pods: readonly Pod[], active: number, { indexKey }: JobContext): JobPodCounts {
  const { completions = 0 } = job.spec ?? {};
  const inPhase = (phase: string) =>
    pods.filter(
      (pod) => pod.status?.phase === phase && (!isIndexed(job) || indexOf(pod, indexKey, completions) !== undefined),
    ).length;
  const failed = inPhase("Failed");
  if (!isIndexed(job)) return { active, succeeded: inPhase("Succeeded"), failed };
  const done = succeededIndexes(pods, indexKey, completions);
  return { active, succeeded: done.length, failed, completedIndexes: indexesText(done) };
}

function failureOf(
  job: Job,
  pods: readonly Pod[],
  { active, failed }: JobPodCounts,
  hasNewFailure: boolean,
  context: JobContext,
): PodFailure | undefined {
  const { backoffLimit = 6, parallelism = 1 } = job.spec ?? {};
  const isBeyondLimit = hasNewFailure && active !== parallelism && failed > backoffLimit;
  if (isBeyondLimit || restartsTooOften(job, pods)) {
    return { reason: "BackoffLimitExceeded", message: "Job has reached the specified backoff limit" };
  }
  const leftMs = deadlineInMs(job, context);
  if (leftMs !== undefined && leftMs <= 0) {
    return { reason: "DeadlineExceeded", message: "Job was active longer than specified deadline" };
  }
  return undefined;
}

/** Where containers are started again in place, their restarts count as failures. */
function restartsTooOften(job: Job, pods: readonly Pod[]): boolean {
  if (job.spec?.template.spec?.restartPolicy !== "OnFailure") return false;
  let restarts = 0;
  for (const { status } of pods) {
    if (status?.phase !== "Running" && status?.phase !== "Pending") continue;
    for (const { restartCount } of status.initContainerStatuses ?? []) restarts += restartCount;
    for (const { restartCount } of status.containerStatuses ?? []) restarts += restartCount;
  }
  const { backoffLimit = 6 } = job.spec;
  return backoffLimit === 0 ? restarts > 0 : restarts >= backoffLimit;
}

/** Until its deadline; undefined: it has none, or the job has not begun. */
export function deadlineInMs(job: Job, context: Pick<JobContext, "nowMs" | "suspends">): number | undefined {
  const seconds = job.spec?.activeDeadlineSeconds;
  const since = timeMs(job.status?.startTime);
  if (seconds === undefined || since === undefined || isSuspended(job, context)) return undefined;
  return since + seconds * 1000 - context.nowMs;
}

type PodPlan = Pick<JobPlan, "delete" | "create" | "indexes">;

/** Either creates or deletes: the next pass does the other. */
function planPods(
  job: Job,
  pods: readonly Pod[],
  active: readonly Pod[],
  counts: JobPodCounts,
  context: JobContext,
): PodPlan {
  const { completions } = job.spec ?? {};
  const wanted = isSuspended(job, context) ? 0 : wantedActive(job, counts);
  const surplus = isIndexed(job) ? superfluous(active, context.indexKey, completions ?? 0) : [];
  const left = active.filter((pod) => !surplus.includes(pod));
  const more = Math.max(0, active.length - wanted - surplus.length);
  surplus.push(...inDeletionOrder(left).slice(0, more));
  if (surplus.length > 0 || active.length >= wanted) return { delete: surplus.slice(0, podsPerSyncMax), create: 0 };
  const create = Math.min(wanted - active.length, podsPerSyncMax);
  if (!isIndexed(job)) return { delete: [], create };
  const indexes = pendingIndexes(pods, context.indexKey, completions ?? 0, create);
  return { delete: [], create: indexes.length, indexes };
}

function wantedActive(job: Job, { active, succeeded }: JobPodCounts): number {
  const { completions, parallelism = 1 } = job.spec ?? {};
  // Without a number of completions, one success means that the work is done: no new pods are created.
  if (completions === undefined) return succeeded > 0 ? active : parallelism;
  return Math.max(0, Math.min(completions - succeeded, parallelism));
}
