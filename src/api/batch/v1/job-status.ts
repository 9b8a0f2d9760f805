/** The status of a job: counts of its pods, and whether it has ended. */

import { elided, int32, list, optional, type Static, string, struct, time } from "../../../machinery/schema/build.ts";
import { changeFields } from "../../common-fields.ts";

export const JobCondition = struct("batch.v1.JobCondition", {
  type: string().at(1).doc("Complete, Failed or Suspended; SuccessCriteriaMet or FailureTarget before the job ends."),
  status: string().at(2).doc("Whether the condition holds: True, False or Unknown."),
  lastProbeTime: elided(time()).at(3).doc("When the condition was last checked."),
  ...changeFields(4),
});
export type JobCondition = Static<typeof JobCondition>;

const uid = string().named((text) => (text === "" ? ["must not be empty"] : []));

const UncountedTerminatedPods = struct("batch.v1.UncountedTerminatedPods", {
  succeeded: elided(list(uid, { topology: "set" }))
    .at(1)
    .doc("Uids of pods that succeeded."),
  failed: elided(list(uid, { topology: "set" }))
    .at(2)
    .doc("Uids of pods that failed."),
});

export const JobStatus = struct("batch.v1.JobStatus", {
  conditions: elided(list(JobCondition, { topology: "atomic", patchStrategy: "merge", patchMergeKey: "type" }))
    .at(1)
    .doc("The current state of the object, one entry for each condition type."),
  startTime: optional(time())
    .at(2)
    .doc("When the controller first saw the job; reset when a suspended job is resumed."),
  completionTime: optional(time()).at(3).doc("When the job completed successfully; absent if it failed or still runs."),
  active: elided(int32()).at(4).atLeast(0).doc("Pods that are pending or running."),
  succeeded: elided(int32()).at(5).atLeast(0).doc("Pods that ended in phase Succeeded."),
  failed: elided(int32()).at(6).atLeast(0).doc("Pods that ended in phase Failed."),
  completedIndexes: elided(string())
    .at(7)
    .doc("Indexes that have completed, as in 1,3-5,7; only with completionMode Indexed."),
  uncountedTerminatedPods: optional(UncountedTerminatedPods)
    .at(8)
    .since("1.22")
    .doc("Pods that have ended and are not in the counts yet."),
  ready: optional(int32()).at(9).since("1.23").atLeast(0).doc("Active pods whose Ready condition is True."),
  failedIndexes: optional(string())
    .at(10)
    .since("1.28")
    .doc("Indexes that have failed for good, as in 1,3-5,7; only with backoffLimitPerIndex."),
  terminating: optional(int32()).at(11).since("1.28").atLeast(0).doc("Pods that are being deleted and have not ended."),
});
export type JobStatus = Static<typeof JobStatus>;
