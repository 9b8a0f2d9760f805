/** What a job is asked to do, also within cron jobs. */

import type { Static } from "../../../machinery/schema/build.ts";
import { bool, elided, int32, int64, optional, string, struct } from "../../../machinery/schema/build.ts";
import { ObjectMetaStruct } from "../../../machinery/schema/object-meta.ts";
import { PodTemplateSpec } from "../../core/v1/pod-spec.ts";
import { LabelSelector } from "../../meta/label-selector.ts";

export const JobSpec = struct("batch.v1.JobSpec", {
  parallelism: optional(int32()).at(1).doc("How many pods may run at a time."),
  completions: optional(int32()).at(2).doc("How many pods must succeed; absent: one success ends the job."),
  activeDeadlineSeconds: optional(int64()).at(3).doc("How long the job may be active before it is stopped as failed."),
  selector: optional(LabelSelector).at(4).doc("Which pods belong to it; set by the server unless manualSelector is."),
  manualSelector: optional(bool()).at(5).doc("Whether selector is of your own making."),
  template: PodTemplateSpec.at(6).doc("What its pods look like; their restart policy is OnFailure or Never."),
  backoffLimit: optional(int32()).at(7).doc("How often pods may fail before the job has failed."),
  ttlSecondsAfterFinished: optional(int32())
    .at(8)
    .doc("How long after its end the job may be deleted; absent: it stays."),
  completionMode: optional(string()).at(9).doc("NonIndexed, or Indexed to give each completion a number."),
  suspend: optional(bool()).at(10).doc("Whether it runs no pods for now."),
});
export type JobSpec = Static<typeof JobSpec>;

export const JobTemplateSpec = struct("batch.v1.JobTemplateSpec", {
  metadata: elided(ObjectMetaStruct).at(1),
  spec: elided(JobSpec).at(2),
});
export type JobTemplateSpec = Static<typeof JobTemplateSpec>;
