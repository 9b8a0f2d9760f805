/** When a finished Job may be deleted. */

import { Job } from "../../api/batch/v1/job.ts";
import { lookAgainMs } from "../../base/clock.ts";
import { keyOf, splitKey } from "../../client/informer/keys.ts";
import { finishedCondition } from "../parts/jobs/finished.ts";
import { isDeleting, timeMs } from "../parts/pods/state.ts";
import { type Plan, read, remove } from "../plan.ts";

/** Milliseconds until then; zero or less: now. Undefined: it has no TTL, has not finished, or is terminating. */
export function deleteInMs(job: Job, nowMs: number): number | undefined {
  const seconds = job.spec?.ttlSecondsAfterFinished;
  const endedMs = timeMs(finishedCondition(job)?.lastTransitionTime);
  if (seconds === undefined || endedMs === undefined || isDeleting(job)) return undefined;
  return endedMs + seconds * 1000 - nowMs;
}

/** The server is asked before the job is deleted: its TTL may just have been changed, and a delete cannot be undone. */
export function planFinishedJob(cached: Job, nowMs: number): Plan | undefined {
  const waiting = planDue(cached, nowMs);
  if (waiting?.writes === undefined) return waiting;
  const live = read(Job, splitKey(keyOf(cached)));
  return {
    reads: [live],
    next(done) {
      const job = done.of(live);
      return job && planDue(job, nowMs);
    },
  };
}

function planDue(job: Job, nowMs: number): Plan | undefined {
  const inMs = deleteInMs(job, nowMs);
  if (inMs === undefined) return undefined;
  if (inMs > 0) return { reviewInMs: lookAgainMs(inMs, (job.spec?.ttlSecondsAfterFinished ?? 0) * 1_000) };
  const { uid, resourceVersion } = job.metadata;
  const reason = "ttlSecondsAfterFinished is over";
  const options = { uid, resourceVersion, propagationPolicy: "Foreground", reason } as const;
  return { writes: [remove(Job, splitKey(keyOf(job)), options)] };
}
