/** The part of a pass over a Job that is the same for all Jobs of a server. */

import type { ControllerContext } from "../contract.ts";
import type { JobContext } from "./context.ts";
import type { JobTracking } from "./tracking.ts";

type JobRules = Omit<JobContext, "nowMs" | "isSynced" | "failureRun">;

/** `tracking`: how ended pods are counted; undefined: they are not counted one by one. */
export function jobRulesOf(
  { vocabulary, gates, has }: Pick<ControllerContext, "vocabulary" | "gates" | "has">,
  tracking: JobTracking | undefined,
): JobRules {
  return {
    indexKey: vocabulary.word("batch.orch.io/job-completion-index"),
    failureKeys: tracking && {
      counted: vocabulary.word("batch.orch.io/job-index-failure-count"),
      ignored: vocabulary.word("batch.orch.io/job-index-ignored-failure-count"),
    },
    suspends: gates.enabled("SuspendJob"),
    announcesEnd: has("announcedEnds"),
    clearsStart: gates.enabled("MutableSchedulingDirectivesForSuspendedJobs"),
    tracking,
  };
}
