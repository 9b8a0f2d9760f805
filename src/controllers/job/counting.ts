/** How many pods of a Job are active, have succeeded and have failed, and which of them its status does not count yet. */

import type { Job } from "../../api/batch/v1/job.ts";
import type { Pod } from "../../api/core/v1/pod.ts";
import { isPodFinished, isPodReady, isTerminating } from "../parts/pods/state.ts";
import type { JobContext } from "./context.ts";
import { indexesIn, indexesText, indexOf, isIndexed, succeededIndexes, withValidIndex } from "./indexes.ts";
import { isIgnored, type JudgedPods } from "./policies.ts";
import { isNewlyEnded, type JobTracking, releasable, uncountedIn, uncountedPodsMax } from "./tracking.ts";

export interface JobPodCounts {
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

export interface EndedPods {
  /** Those that lose their finalizer in this pass: the others of this value, and pods that never count. */
  readonly released: readonly Pod[];
  readonly succeeded: readonly Pod[];
  readonly failed: readonly Pod[];
  /** More pods have ended than one pass counts. */
  readonly hasMore: boolean;
}

/** Whether the job ends with this pass or an earlier one, and whether it has failed. */
interface JobState {
  readonly isOver: boolean;
  readonly hasFailed: boolean;
}

interface CountedPods {
  /** With all pods that have ended: limits are compared with these. */
  readonly reached: JobPodCounts;
  /** What the status says after this pass. `ended` is absent where pods are not tracked. */
  after(state: JobState): { readonly counts: JobPodCounts; readonly ended?: EndedPods };
}

export function countPods(
  job: Job,
  pods: readonly Pod[],
  active: readonly Pod[],
  judged: JudgedPods,
  context: JobContext,
): CountedPods {
  const { tracking } = context;
  const counts = {
    active: active.length,
    ready: active.filter(isPodReady).length,
    terminating: pods.filter(isTerminating).length,
    ...(judged.indexes === undefined ? {} : { failedIndexes: failedIndexes(job, judged.indexes) }),
  };
  const succeeded = pods.filter(({ status }) => status?.phase === "Succeeded");
  const indexes = isIndexed(job) ? completedIndexes(job, pods, context) : undefined;
  if (tracking === undefined) {
    const reached = { ...counts, failed: judged.counted.length, ...(indexes ?? { succeeded: succeeded.length }) };
    return { reached, after: () => ({ counts: reached }) };
  }
  const known = uncountedIn(job);
  const { succeeded: succeededBefore = 0, failed: failedBefore = 0 } = job.status ?? {};
  const countsWith = (done: readonly Pod[], failed: readonly Pod[]): JobPodCounts => ({
    ...counts,
    failed: failedBefore + known.failed.size + failed.length,
    ...(indexes ?? { succeeded: succeededBefore + known.succeeded.size + done.length }),
  });
  const isNew = isNewlyEnded(job, tracking);
  return {
    reached: countsWith(succeeded.filter(isNew), judged.counted.filter(isNew)),
    after(state) {
      const ended = endedPods(job, pods, active, judged, state, { ...context, tracking });
      return { counts: countsWith(ended.succeeded, ended.failed), ended };
    },
  };
}

function endedPods(
  job: Job,
  pods: readonly Pod[],
  active: readonly Pod[],
  judged: JudgedPods,
  { isOver, hasFailed }: JobState,
  { tracking, indexKey }: JobContext & { readonly tracking: JobTracking },
): EndedPods {
  const held = isOver ? new Set<Pod>() : heldPods(job, active, judged, indexKey);
  const found = releasable(job, pods, tracking, { isOver }).filter((pod) => !held.has(pod));
  const released = new Set(found.slice(0, uncountedPodsMax));
  const isNew = isNewlyEnded(job, tracking);
  const isCounted = (pod: Pod) => released.has(pod) && isNew(pod);
  // A failed job stops the pods that still run: they count as failed at once.
  const stopped = hasFailed ? withValidIndex(job, pods, indexKey).filter((pod) => !isPodFinished(pod)) : [];
  const failed = new Set([...judged.counted, ...stopped.filter((pod) => !isIgnored(pod, job))]);
  const succeeded = isIndexed(job) ? [] : pods.filter(({ status }) => status?.phase === "Succeeded");
  return {
    released: [...released],
    // The indexes of an Indexed job say which have succeeded.
    succeeded: succeeded.filter(isCounted),
    failed: [...failed].filter(isCounted),
    hasMore: found.length > released.size,
  };
}

/** Of an index that is tried again, the last failed pod is kept until there is another, which says how many have failed. */
function heldPods(job: Job, active: readonly Pod[], judged: JudgedPods, indexKey: string): ReadonlySet<Pod> {
  const { completions = 0 } = job.spec ?? {};
  const settled = new Set([...(judged.indexes ?? []), ...indexesIn(job.status?.failedIndexes, completions)]);
  for (const index of indexesIn(job.status?.completedIndexes, completions)) settled.add(index);
  for (const pod of active) settled.add(indexOf(pod, indexKey, completions) ?? -1);
  return new Set([...judged.failuresOf].filter(([index]) => !settled.has(index)).map(([, { pod }]) => pod));
}

/** Where pods are tracked, an index that has succeeded stays so, even if its pods are gone. */
function completedIndexes(
  job: Job,
  pods: readonly Pod[],
  { indexKey, tracking }: JobContext,
): Pick<JobPodCounts, "succeeded" | "completedIndexes"> {
  const { completions = 0 } = job.spec ?? {};
  const known = tracking === undefined ? [] : indexesIn(job.status?.completedIndexes, completions);
  const found = succeededIndexes(pods, indexKey, completions);
  const done = [...new Set([...known, ...found])].sort((a, b) => a - b);
  return { succeeded: done.length, completedIndexes: indexesText(done) };
}

/** An index that has failed stays so, even if its pods are gone. */
function failedIndexes({ status, spec }: Job, found: readonly number[]): string {
  const known = indexesIn(status?.failedIndexes, spec?.completions);
  return indexesText([...new Set([...known, ...found])].sort((a, b) => a - b));
}
