/** The spec of a job, also within cron jobs. */

import { isDomainPrefixedPath } from "../../../machinery/meta/names.ts";
import { bool, elided, int32, int64, optional, type Static, string, struct } from "../../../machinery/schema/build.ts";
import { ObjectMetaStruct } from "../../../machinery/schema/object-meta.ts";
import { PodTemplateSpec } from "../../core/v1/pod/spec.ts";
import { LabelSelector } from "../../meta/label-selector.ts";
import { PodFailurePolicy, SuccessPolicy } from "./job-policies.ts";
import { JobSchedulingConfiguration } from "./job-scheduling.ts";

const managedByCharsMax = 63;

/** Of a rule for failed pods. */
const failsIndex = (rule: unknown): boolean => (rule as { readonly action?: unknown }).action === "FailIndex";

/** v1.28 shows that nothing is left of them. */
function withoutRules(policy: object): void {
  const { rules } = policy as PodFailurePolicy;
  if (rules?.length === 0) Object.assign(policy, { rules: null });
}

export const JobSpec = struct("batch.v1.JobSpec", {
  parallelism: optional(int32()).at(1).atLeast(0).doc("How many pods may run at the same time. Default: 1."),
  completions: optional(int32())
    .at(2)
    .atLeast(0)
    .doc("How many pods must succeed. Absent: the success of one pod completes the job."),
  activeDeadlineSeconds: optional(int64())
    .at(3)
    .atLeast(0)
    .doc("Seconds after the start until the job is stopped and counts as failed. Absent: no limit."),
  selector: optional(LabelSelector)
    .at(4)
    .immutable()
    .doc("Labels of the pods of the job; set by the server unless manualSelector is true."),
  manualSelector: optional(bool())
    .at(5)
    .doc("Whether selector is set by the user; it must then select only the pods of this job. Default: false."),
  template: PodTemplateSpec.at(6).doc("The pods to create; restartPolicy must be OnFailure or Never."),
  backoffLimit: optional(int32())
    .at(7)
    .atLeast(0)
    .doc("How many retries are made before the job counts as failed. Default: 6."),
  ttlSecondsAfterFinished: optional(int32())
    .at(8)
    .atLeast(0)
    .doc("Seconds after the end until the job is deleted; 0 deletes it at once. Absent: it is kept."),
  completionMode: optional(string())
    .at(9)
    .oneOf(["NonIndexed", "Indexed"])
    .doc("NonIndexed, or Indexed to give each completion an index. Default: NonIndexed."),
  suspend: optional(bool())
    .at(10)
    .doc("Whether the job is suspended: running pods are deleted and none are created. Default: false."),
  podFailurePolicy: optional(PodFailurePolicy)
    .at(11)
    .since("1.25")
    .behind("JobBackoffLimitPerIndex", { member: "rules", items: failsIndex, forget: withoutRules })
    .immutable()
    .doc("What a failed pod means for the job; needs restartPolicy Never. Absent: every failed pod counts."),
  backoffLimitPerIndex: optional(int32())
    .at(12)
    .since("1.28")
    .atLeast(0)
    .immutable()
    .doc(
      "How often a pod of one index is retried before that index counts as failed; only with completionMode Indexed.",
    ),
  maxFailedIndexes: optional(int32())
    .at(13)
    .since("1.28")
    .atLeast(0)
    .doc("How many indexes may fail before the job is stopped; only with backoffLimitPerIndex. Absent: all may."),
  podReplacementPolicy: optional(string())
    .at(14)
    .openApiEnum(["Failed", "TerminatingOrFailed"])
    .since("1.28")
    .doc(
      "When a pod is replaced: TerminatingOrFailed, or Failed once it has ended. Default: Failed with podFailurePolicy, otherwise TerminatingOrFailed.",
    ),
  managedBy: optional(string())
    .at(15)
    .since("1.30")
    .filled()
    .named(isDomainPrefixedPath)
    .max(managedByCharsMax)
    .immutable()
    .doc("The controller of the job, as a name with a domain. Absent: the one of the controller manager."),
  successPolicy: optional(SuccessPolicy)
    .at(16)
    .since("1.30")
    .immutable()
    .doc("When the job has succeeded although not all indexes have; only with completionMode Indexed."),
  scheduling: optional(JobSchedulingConfiguration)
    .at(17)
    .since("1.37")
    .immutable()
    .behind("WorkloadWithJob")
    .doc("How the pods are scheduled together; needs the feature gate WorkloadWithJob."),
});
export type JobSpec = Static<typeof JobSpec>;

export const JobTemplateSpec = struct("batch.v1.JobTemplateSpec", {
  metadata: elided(ObjectMetaStruct).at(1).doc("Labels and annotations of the jobs."),
  spec: elided(JobSpec).at(2).doc("The spec of the created jobs."),
});
export type JobTemplateSpec = Static<typeof JobTemplateSpec>;
