/** A Job runs pods until enough of them have succeeded. */

import type { Static } from "../../../machinery/schema/build.ts";
import { elided, int32, list, optional, string, struct, time } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { status } from "../../../machinery/schema/subresources.ts";
import { JobSpec } from "./job-spec.ts";

export const JobCondition = struct("batch.v1.JobCondition", {
  type: string().at(1),
  status: string().at(2),
  lastProbeTime: elided(time()).at(3),
  lastTransitionTime: elided(time()).at(4),
  reason: elided(string()).at(5),
  message: elided(string()).at(6),
});
export type JobCondition = Static<typeof JobCondition>;

export const JobStatus = struct("batch.v1.JobStatus", {
  conditions: elided(list(JobCondition, { topology: "atomic", patchStrategy: "merge", patchMergeKey: "type" })).at(1),
  startTime: optional(time()).at(2),
  completionTime: optional(time()).at(3),
  active: elided(int32()).at(4),
  succeeded: elided(int32()).at(5),
  failed: elided(int32()).at(6),
  completedIndexes: elided(string()).at(7),
});
export type JobStatus = Static<typeof JobStatus>;

export const Job = kind({
  group: "batch",
  version: "v1",
  kind: "Job",
  resource: "jobs",
  scope: "Namespaced",
  categories: ["all"],
  doc: "A Job runs pods until enough of them have succeeded.",
  fields: {
    spec: elided(JobSpec).at(2),
    status: elided(JobStatus).at(3),
  },
  subresources: [status()],
});
export type Job = Static<typeof Job>;
