/** A CronJob starts jobs at the times of a schedule. */

import type { Static } from "../../../machinery/schema/build.ts";
import { bool, elided, int32, int64, list, optional, string, struct, time } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { status } from "../../../machinery/schema/subresources.ts";
import { ObjectReference } from "../../core/v1/references.ts";
import { JobTemplateSpec } from "./job-spec.ts";

export const CronJobSpec = struct("batch.v1.CronJobSpec", {
  schedule: string().at(1),
  startingDeadlineSeconds: optional(int64()).at(2),
  concurrencyPolicy: elided(string()).at(3),
  suspend: optional(bool()).at(4),
  jobTemplate: JobTemplateSpec.at(5),
  successfulJobsHistoryLimit: optional(int32()).at(6),
  failedJobsHistoryLimit: optional(int32()).at(7),
});
export type CronJobSpec = Static<typeof CronJobSpec>;

export const CronJobStatus = struct("batch.v1.CronJobStatus", {
  active: elided(list(ObjectReference, { topology: "atomic" })).at(1),
  lastScheduleTime: optional(time()).at(4),
  lastSuccessfulTime: optional(time()).at(5),
});
export type CronJobStatus = Static<typeof CronJobStatus>;

export const CronJob = kind({
  group: "batch",
  version: "v1",
  kind: "CronJob",
  resource: "cronjobs",
  scope: "Namespaced",
  shortNames: ["cj"],
  categories: ["all"],
  doc: "A CronJob starts jobs at the times of a schedule.",
  fields: {
    spec: elided(CronJobSpec).at(2),
    status: elided(CronJobStatus).at(3),
  },
  subresources: [status()],
});
export type CronJob = Static<typeof CronJob>;
