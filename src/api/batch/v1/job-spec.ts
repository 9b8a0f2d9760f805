/** What a job is asked to do, also within cron jobs. */

import type { Static } from "../../../machinery/schema/build.ts";
import { bool, elided, int32, int64, optional, string, struct } from "../../../machinery/schema/build.ts";
import { ObjectMetaStruct } from "../../../machinery/schema/object-meta.ts";
import { PodTemplateSpec } from "../../core/v1/pod-spec.ts";
import { LabelSelector } from "../../meta/label-selector.ts";

export const JobSpec = struct("batch.v1.JobSpec", {
  parallelism: optional(int32()).at(1).doc("How many pods may run at a time."),
  completions: optional(int32()).at(2).doc("How many pods must succeed; absent: one success ends the job."),
  activeDeadlineSeconds: optional(int64()).at(3),
  selector: optional(LabelSelector).at(4),
  manualSelector: optional(bool()).at(5),
  template: PodTemplateSpec.at(6),
  backoffLimit: optional(int32()).at(7).doc("How often pods may fail before the job has failed."),
  ttlSecondsAfterFinished: optional(int32()).at(8),
  completionMode: optional(string()).at(9),
  suspend: optional(bool()).at(10),
});
export type JobSpec = Static<typeof JobSpec>;

export const JobTemplateSpec = struct("batch.v1.JobTemplateSpec", {
  metadata: elided(ObjectMetaStruct).at(1),
  spec: elided(JobSpec).at(2),
});
export type JobTemplateSpec = Static<typeof JobTemplateSpec>;
