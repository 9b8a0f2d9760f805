/** When a finished Job may be deleted. */

import type { Job } from "../../api/batch/v1/job.ts";
import { finishedCondition } from "../parts/jobs/finished.ts";
import { isDeleting, timeMs } from "../parts/pods/state.ts";

/** Milliseconds until then; zero or less: now. Undefined: it has no TTL, has not finished, or is terminating. */
export function deleteInMs(job: Job, nowMs: number): number | undefined {
  const seconds = job.spec?.ttlSecondsAfterFinished;
  const endedMs = timeMs(finishedCondition(job)?.lastTransitionTime);
  if (seconds === undefined || endedMs === undefined || isDeleting(job)) return undefined;
  return endedMs + seconds * 1000 - nowMs;
}
