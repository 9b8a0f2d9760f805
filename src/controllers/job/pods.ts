/** Which pods of a Job to create and delete, and whether it has failed. */

import { readIndexes } from "../../api/batch/v1/completion-indexes.ts";
import type { Job } from "../../api/batch/v1/job.ts";
import type { Pod } from "../../api/core/v1/pod.ts";
import { inDeletionOrder } from "../parts/pods/deletion-order.ts";
import { isDeleting, isPodActive, isPodReady, isTerminating, timeMs } from "../parts/pods/state.ts";
import { indexesText, indexOf, isIndexed, pendingIndexes, succeededIndexes, superfluous } from "./indexes.ts";
import { type JudgedPods, judgeFailedPods, metSuccessRule, type PodFailure } from "./policies.ts";
import { hasFailed, isTracked, type JobTracking, uncountedIn, uncountedPodsMax } from "./tracking.ts";

/** At most this many pods are created or deleted in one pass. */
const podsPerSyncMax = 500;

export interface JobContext {
  readonly nowMs: number;
  /** The annotation with the index of a pod. */
  readonly indexKey: string;
  /** The gate SuspendJob. */
  readonly suspends: boolean;
  /** Whether the cache shows all earlier writes; otherwise pods are only counted. */
  readonly isSynced: boolean;
  /**
   * Since 1.32 a condition announces the end of a job, and the end itself is written when its last pod is gone; counts never fall,
   * and the status has all of them.
   */
  readonly announcesEnd: boolean;
  /** The annotation of a pod with how often its index has failed. Absent: pods have none. */
  readonly failuresKey?: string | undefined;
  /** How pods are counted once and for all. Absent: those that exist are counted. */
  readonly tracking?: JobTracking | undefined;
}

interface JobPodCounts {
  active: number;
  succeeded: number;
  failed: number;
  /** Active pods that are ready. */
  ready: number;
  /** Pods that are being deleted and have not ended. */
  terminating: number;
  /** Only for an Indexed job. */
  completedIndexes?: string;
  /** Only for a job with a limit for each index. */
  failedIndexes?: string;
}

export interface JobPlan {
  readonly counts: JobPodCounts;
  /** Pods that have ended and that the status does not have in any way. Absent: pods are not tracked. */
  readonly ended?: { readonly succeeded: readonly Pod[]; readonly failed: readonly Pod[] };
  /** By index: how many pods have failed. */
  readonly failuresOf: ReadonlyMap<number, number>;
  /** Why the job has failed; its active pods are deleted after that was written. */
  readonly failure?: PodFailure;
  /** Why the job has succeeded although pods may still run, which are deleted. */
  readonly success?: PodFailure;
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
  const { tracking } = context;
  const isFailed = (pod: Pod) => (tracking === undefined ? pod.status?.phase === "Failed" : hasFailed(pod, job));
  const judged = judgeFailedPods(job, meant(job, pods.filter(isFailed), context), context.indexKey);
  const ended = tracking && newlyEnded(job, pods, judged, { ...context, tracking });
  const counts = countPods(job, pods, active, judged, context, ended);
  const hasNewFailure = counts.failed > (job.status?.failed ?? 0);
  const { failuresOf } = judged;
  const idle = { counts, failuresOf, delete: [], create: 0, hasNewFailure, ...(ended ? { ended } : {}) };
  const success = context.announcesEnd ? successOf(job, counts) : undefined;
  if (success !== undefined) return { ...idle, success, delete: active, isManaged: false };
  const failure =
    announced(job, "FailureTarget") ?? judged.failure ?? failureOf(job, pods, counts, hasNewFailure, judged, context);
  if (failure !== undefined)
    return { ...idle, ...withStopped(idle, active, context), failure, delete: active, isManaged: false };
  if (!context.isSynced || isDeleting(job)) return { ...idle, isManaged: false };
  return { ...idle, isManaged: true, ...planPods(job, pods, active, counts, context) };
}

/** A failed job stops the pods that still run: they count as failed at once. */
function withStopped(
  { counts, ended }: Pick<JobPlan, "counts" | "ended">,
  active: readonly Pod[],
  { tracking }: JobContext,
): Partial<Pick<JobPlan, "counts" | "ended">> {
  if (tracking === undefined || ended === undefined) return {};
  const stopped = active.filter((pod) => isTracked(pod, tracking));
  return {
    counts: { ...counts, failed: counts.failed + stopped.length },
    ended: { ...ended, failed: [...ended.failed, ...stopped] },
  };
}

/** Of the pods of an Indexed job only those that have an index. */
function meant(job: Job, pods: readonly Pod[], { indexKey }: Pick<JobContext, "indexKey">): Pod[] {
  const { completions = 0 } = job.spec ?? {};
  return pods.filter((pod) => !isIndexed(job) || indexOf(pod, indexKey, completions) !== undefined);
}

type EndedPods = NonNullable<JobPlan["ended"]>;

function newlyEnded(
  job: Job,
  pods: readonly Pod[],
  { counted }: JudgedPods,
  { tracking, indexKey }: Pick<JobContext, "indexKey"> & { readonly tracking: JobTracking },
): EndedPods {
  const known = uncountedIn(job);
  const isNew = (pod: Pod) => {
    const { uid = "" } = pod.metadata;
    return isTracked(pod, tracking) && !known.succeeded.has(uid) && !known.failed.has(uid);
  };
  const succeeded = pods.filter((pod) => pod.status?.phase === "Succeeded" && isNew(pod));
  return {
    // The indexes of an Indexed job say which have succeeded.
    succeeded: isIndexed(job) ? [] : meant(job, succeeded, { indexKey }).slice(0, uncountedPodsMax),
    failed: counted.filter(isNew).slice(0, uncountedPodsMax),
  };
}

function countPods(
  job: Job,
  pods: readonly Pod[],
  active: readonly Pod[],
  judged: JudgedPods,
  context: JobContext,
  ended: EndedPods | undefined,
): JobPodCounts {
  const { completions = 0 } = job.spec ?? {};
  const { succeeded: before = 0, failed: failedBefore = 0 } = job.status ?? {};
  const uncounted = uncountedIn(job);
  const counts = {
    active: active.length,
    failed: ended === undefined ? judged.counted.length : failedBefore + uncounted.failed.size + ended.failed.length,
    ready: active.filter(isPodReady).length,
    terminating: pods.filter(isTerminating).length,
    ...(judged.indexes === undefined ? {} : { failedIndexes: failedIndexes(job, judged.indexes) }),
  };
  const succeeded = pods.filter(({ status }) => status?.phase === "Succeeded");
  if (!isIndexed(job)) {
    const total = ended && before + uncounted.succeeded.size + ended.succeeded.length;
    return { ...counts, succeeded: total ?? succeeded.length };
  }
  const known = ended === undefined ? [] : indexesIn(job.status?.completedIndexes, completions);
  const all = new Set([...known, ...succeededIndexes(pods, context.indexKey, completions)]);
  const done = [...all].sort((a, b) => a - b);
  return { ...counts, succeeded: done.length, completedIndexes: indexesText(done) };
}

/** An index that has failed stays so, even if its pods are gone. */
function failedIndexes({ status, spec }: Job, found: readonly number[]): string {
  const known = indexesIn(status?.failedIndexes, spec?.completions);
  return indexesText([...new Set([...known, ...found])].sort((a, b) => a - b));
}

/** The reason of a condition that announced the end of the job in an earlier pass. */
function announced(job: Job, type: string): PodFailure | undefined {
  const found = job.status?.conditions?.find((condition) => condition.type === type && condition.status === "True");
  return found === undefined ? undefined : { reason: found.reason ?? "", message: found.message ?? "" };
}

function successOf(job: Job, counts: JobPodCounts): PodFailure | undefined {
  const { completions } = job.spec ?? {};
  const before = announced(job, "SuccessCriteriaMet");
  if (before !== undefined) return before;
  if (announced(job, "FailureTarget") !== undefined) return undefined;
  const rule = isIndexed(job) ? metSuccessRule(job, indexesIn(counts.completedIndexes, completions)) : undefined;
  if (rule !== undefined) return { reason: "SuccessPolicy", message: `Matched rules at index ${rule}` };
  const isEnough =
    completions === undefined ? counts.succeeded > 0 && counts.active === 0 : counts.succeeded >= completions;
  if (!isEnough) return undefined;
  return { reason: "CompletionsReached", message: "Reached expected number of succeeded pods" };
}

function failureOf(
  job: Job,
  pods: readonly Pod[],
  { active, failed, succeeded }: JobPodCounts,
  hasNewFailure: boolean,
  { indexes = [] }: JudgedPods,
  context: JobContext,
): PodFailure | undefined {
  const { backoffLimit = 6, parallelism = 1, completions = 0, maxFailedIndexes = Infinity } = job.spec ?? {};
  if (indexes.length > maxFailedIndexes) {
    const message = "Job has exceeded the specified maximal number of failed indexes";
    return { reason: "MaxFailedIndexesExceeded", message };
  }
  if (indexes.length > 0 && active === 0 && indexes.length + succeeded >= completions) {
    return { reason: "FailedIndexes", message: "Job has failed indexes" };
  }
  const isSettled = context.announcesEnd || (hasNewFailure && active !== parallelism);
  const isBeyondLimit = isSettled && failed > backoffLimit;
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
  const settled = [...indexesIn(counts.failedIndexes), ...indexesIn(counts.completedIndexes)];
  const surplus = isIndexed(job) ? superfluous(active, context.indexKey, completions ?? 0) : [];
  const left = active.filter((pod) => !surplus.includes(pod));
  const more = Math.max(0, active.length - wanted - surplus.length);
  surplus.push(...inDeletionOrder(left).slice(0, more));
  if (surplus.length > 0 || active.length >= wanted) return { delete: surplus.slice(0, podsPerSyncMax), create: 0 };
  // With the policy Failed a pod is replaced only after it has ended.
  const waiting = job.spec?.podReplacementPolicy === "Failed" ? pods.filter(isTerminating) : [];
  const create = Math.min(Math.max(0, wanted - active.length - waiting.length), podsPerSyncMax);
  if (!isIndexed(job)) return { delete: [], create };
  const busy = waiting.flatMap((pod) => indexOf(pod, context.indexKey, completions ?? 0) ?? []);
  const indexes = pendingIndexes(pods, context.indexKey, completions ?? 0, create, new Set([...settled, ...busy]));
  return { delete: [], create: indexes.length, indexes };
}

/** The indexes of a list as text. */
function indexesIn(text = "", completions = Infinity): readonly number[] {
  const ranges = readIndexes(text, completions) ?? [];
  return ranges.flatMap(([low, high]) => Array.from({ length: high - low + 1 }, (_, at) => low + at));
}

function wantedActive(job: Job, counts: JobPodCounts): number {
  const { active, succeeded } = counts;
  const { completions, parallelism = 1 } = job.spec ?? {};
  // Without a number of completions, one success means that the work is done: no new pods are created.
  if (completions === undefined) return succeeded > 0 ? active : parallelism;
  return Math.max(0, Math.min(completions - succeeded - indexesIn(counts.failedIndexes).length, parallelism));
}
