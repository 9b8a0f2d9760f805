/** The part of a pass over a Job that is the same for all Jobs of a server. */

import type { ControllerContext } from "../contract.ts";
import type { JobContext } from "./pods.ts";
import type { JobTracking } from "./tracking.ts";

type JobRules = Omit<JobContext, "nowMs" | "isSynced">;

/** `tracking`: how ended pods are counted; undefined: they are not counted one by one. */
export function jobRulesOf(
  { vocabulary, gates, has }: Pick<ControllerContext, "vocabulary" | "gates" | "has">,
  tracking: JobTracking | undefined,
): JobRules {
  return {
    indexKey: vocabulary.word("batch.orch.io/job-completion-index"),
    failuresKey: tracking && vocabulary.word("batch.orch.io/job-index-failure-count"),
    suspends: gates.enabled("SuspendJob"),
    announcesEnd: has("announcedEnds"),
    tracking,
  };
}
