/** Whether a Job ends, and why. */

import type { Job } from "../../api/batch/v1/job.ts";
import type { Pod } from "../../api/core/v1/pod.ts";
import { lookAgainMs } from "../../base/clock.ts";
import { secondsMs } from "../../machinery/values/integer.ts";
import { timeMs } from "../parts/pods/state.ts";
import { isSuspended, type JobContext } from "./context.ts";
import type { JobPodCounts } from "./counting.ts";
import { indexesIn, isIndexed } from "./indexes.ts";
import { type JudgedPods, metSuccessRule, type PodFailure } from "./policies.ts";

interface JobEnd {
  readonly failure?: PodFailure;
  readonly success?: PodFailure;
}

/** Undefined: the job goes on. A job whose completions are reached ends when its last pod is gone, which its status decides. */
export function endOf(
  job: Job,
  pods: readonly Pod[],
  counts: JobPodCounts,
  judged: JudgedPods,
  context: JobContext,
): JobEnd | undefined {
  const met = context.announcesEnd ? announced(job, "SuccessCriteriaMet") : undefined;
  if (met !== undefined) return { success: met };
  const failure =
    announced(job, "FailureTarget") ?? judged.failure ?? limitOf(job, pods, counts, context) ?? indexesOf(job, counts);
  if (failure !== undefined) return { failure };
  const rule =
    context.announcesEnd && isIndexed(job)
      ? metSuccessRule(job, indexesIn(counts.completedIndexes, job.spec?.completions))
      : undefined;
  return rule === undefined
    ? undefined
    : { success: { reason: "SuccessPolicy", message: `Matched rules at index ${rule}` } };
}

/** Whether as many pods have succeeded as the job needs, and none is left. */
export function isComplete({ spec }: Job, succeeded: number, active: number): boolean {
  if (spec?.completions === undefined) return succeeded > 0 && active === 0;
  return succeeded >= spec.completions;
}

/** The reason of a condition that announced the end of the job in an earlier pass. */
function announced(job: Job, type: string): PodFailure | undefined {
  const found = job.status?.conditions?.find((condition) => condition.type === type && condition.status === "True");
  return found === undefined ? undefined : { reason: found.reason ?? "", message: found.message ?? "" };
}

function limitOf(
  job: Job,
  pods: readonly Pod[],
  { active, failed }: JobPodCounts,
  context: JobContext,
): PodFailure | undefined {
  const { backoffLimit = 6, parallelism = 1 } = job.spec ?? {};
  const hasNewFailure = failed > (job.status?.failed ?? 0);
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

function indexesOf({ spec }: Job, { failedIndexes, succeeded }: JobPodCounts): PodFailure | undefined {
  const { completions = 0, maxFailedIndexes = Infinity } = spec ?? {};
  const failed = indexesIn(failedIndexes).length;
  if (failed > maxFailedIndexes) {
    const message = "Job has exceeded the specified maximal number of failed indexes";
    return { reason: "MaxFailedIndexesExceeded", message };
  }
  if (failed === 0 || failed + succeeded < completions) return undefined;
  return { reason: "FailedIndexes", message: "Job has failed indexes" };
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

/** When to look at its deadline again. */
export function reviewedInMs(job: Job, context: Pick<JobContext, "nowMs" | "suspends">): number | undefined {
  const leftMs = deadlineInMs(job, context);
  return leftMs && lookAgainMs(leftMs, secondsMs(job.spec?.activeDeadlineSeconds ?? 0));
}

/** Until its deadline; undefined: it has none, or the job has not begun. */
function deadlineInMs(job: Job, context: Pick<JobContext, "nowMs" | "suspends">): number | undefined {
  const seconds = job.spec?.activeDeadlineSeconds;
  const since = timeMs(job.status?.startTime);
  if (seconds === undefined || since === undefined || isSuspended(job, context)) return undefined;
  return since + secondsMs(seconds) - context.nowMs;
}
