/** Which pods of a Job to create and delete, and whether it has failed. */

import type { Job } from "../../api/batch/v1/job.ts";
import type { Pod } from "../../api/core/v1/pod.ts";
import { inDeletionOrder } from "../parts/pods/deletion-order.ts";
import { isDeleting, isPodActive, isTerminating } from "../parts/pods/state.ts";
import { isSuspended, type JobContext } from "./context.ts";
import { countPods, type EndedPods, type JobPodCounts } from "./counting.ts";
import { endOf } from "./ending.ts";
import { delayLeftMs, type FailureRun, failureRunAfter, finishedMs, noFailures } from "./failure-run.ts";
import { indexesIn, indexOf, isIndexed, pendingIndexes, superfluous, withValidIndex } from "./indexes.ts";
import { type JudgedPods, judgeFailedPods, type PodFailure } from "./policies.ts";
import { hasFailed, isNewlyEnded } from "./tracking.ts";

/** At most this many pods are created or deleted in one pass. */
const podsPerSyncMax = 500;

export interface JobPlan {
  readonly counts: JobPodCounts;
  /** Pods that have ended and that the status does not have in any way. Absent: pods are not tracked. */
  readonly ended?: EndedPods;
  readonly failuresOf: JudgedPods["failuresOf"];
  /** Why the job has failed; its active pods are deleted after that was written. */
  readonly failure?: PodFailure;
  /** Why the job has succeeded although pods may still run, which are deleted. */
  readonly success?: PodFailure;
  readonly delete: readonly Pod[];
  readonly create: number;
  /** The indexes of the pods to create, in an Indexed job. */
  readonly indexes?: readonly number[];
  /** Until pods that have failed are replaced. Absent: nothing waits. */
  readonly createInMs?: number;
  /** Whether pods were reconciled: only then the condition Suspended changes. */
  readonly isManaged: boolean;
  /** More pods have failed than the status says: the next ones are made with a growing delay. */
  readonly hasNewFailure: boolean;
  /** The failures after this pass. */
  readonly failureRun: FailureRun;
}

/** `pods`: all that it owns, ended ones as well. */
export function planJobPods(job: Job, pods: readonly Pod[], context: JobContext): JobPlan {
  const active = pods.filter(isPodActive);
  const { tracking } = context;
  const isFailed = (pod: Pod) => (tracking === undefined ? pod.status?.phase === "Failed" : hasFailed(pod, job));
  const failed = withValidIndex(job, pods.filter(isFailed), context.indexKey);
  const judged = judgeFailedPods(job, failed, context);
  const counted = countPods(job, pods, active, judged, context);
  const end = endOf(job, pods, counted.reached, judged, context);
  const { counts, ended } = counted.after({ hasFailed: end?.failure !== undefined, isOver: end !== undefined });
  const failureRun = runAfter(job, pods, failed, context);
  const idle = {
    counts,
    failuresOf: judged.failuresOf,
    failureRun,
    delete: [],
    create: 0,
    hasNewFailure: counted.reached.failed > (job.status?.failed ?? 0),
    ...(ended ? { ended } : {}),
  };
  if (end !== undefined) return { ...idle, ...end, delete: active, isManaged: false };
  if (!context.isSynced || isDeleting(job)) return { ...idle, isManaged: false };
  const at = { ...context, failureRun };
  return { ...idle, isManaged: true, ...planPods(job, pods, active, counts, judged, at) };
}

function runAfter(job: Job, pods: readonly Pod[], failed: readonly Pod[], context: JobContext): FailureRun {
  const { tracking, failureRun = noFailures } = context;
  // With a limit for each index, each of them waits for itself.
  if (tracking === undefined || job.spec?.backoffLimitPerIndex !== undefined) return noFailures;
  const isNew = isNewlyEnded(job, tracking);
  const succeeded = pods.filter((pod) => pod.status?.phase === "Succeeded" && isNew(pod));
  return failureRunAfter(failureRun, withValidIndex(job, succeeded, context.indexKey), failed.filter(isNew));
}

type PodPlan = Pick<JobPlan, "delete" | "create" | "indexes" | "createInMs">;

/** Either creates or deletes: the next pass does the other. */
function planPods(
  job: Job,
  pods: readonly Pod[],
  active: readonly Pod[],
  counts: JobPodCounts,
  judged: JudgedPods,
  context: JobContext,
): PodPlan {
  const { completions = 0 } = job.spec ?? {};
  const wanted = isSuspended(job, context) ? 0 : wantedActive(job, counts);
  const surplus = isIndexed(job) ? superfluous(active, context.indexKey, completions) : [];
  const leaving = new Set(surplus);
  const left = active.filter((pod) => !leaving.has(pod));
  const more = Math.max(0, active.length - wanted - surplus.length);
  surplus.push(...inDeletionOrder(left).slice(0, more));
  if (surplus.length > 0 || active.length >= wanted) return { delete: surplus.slice(0, podsPerSyncMax), create: 0 };
  // With the policy Failed a pod is replaced only after it has ended.
  const waiting = job.spec?.podReplacementPolicy === "Failed" ? pods.filter(isTerminating) : [];
  const create = Math.min(Math.max(0, wanted - active.length - waiting.length), podsPerSyncMax);
  const delayMs = delayLeftMs(context.failureRun ?? noFailures, context.nowMs);
  if (create > 0 && delayMs > 0) return { delete: [], create: 0, createInMs: delayMs };
  if (!isIndexed(job)) return { delete: [], create };
  const busy = waiting.flatMap((pod) => indexOf(pod, context.indexKey, completions) ?? []);
  const settled = [...indexesIn(counts.failedIndexes), ...indexesIn(counts.completedIndexes)];
  const indexes = pendingIndexes(pods, context.indexKey, completions, create, new Set([...settled, ...busy]));
  return { delete: [], ...readyIndexes(indexes, judged, context) };
}

/** Those that need not wait; if all have to, until the first of them need not. */
function readyIndexes(
  indexes: readonly number[],
  { failuresOf }: JudgedPods,
  { nowMs }: JobContext,
): Pick<JobPlan, "create" | "indexes" | "createInMs"> {
  const delayOf = (index: number) => {
    const failures = failuresOf.get(index);
    if (failures === undefined) return 0;
    const { pod, counted, ignored } = failures;
    return delayLeftMs({ count: counted + ignored, lastMs: finishedMs(pod) }, nowMs);
  };
  const ready = indexes.filter((index) => delayOf(index) === 0);
  if (ready.length > 0 || indexes.length === 0) return { create: ready.length, indexes: ready };
  return { create: 0, indexes: [], createInMs: Math.min(...indexes.map(delayOf)) };
}

function wantedActive(job: Job, counts: JobPodCounts): number {
  const { active, succeeded } = counts;
  const { completions, parallelism = 1 } = job.spec ?? {};
  // Without a number of completions, one success means that the work is done: no new pods are created.
  if (completions === undefined) return succeeded > 0 ? active : parallelism;
  return Math.max(0, Math.min(completions - succeeded - indexesIn(counts.failedIndexes).length, parallelism));
}
