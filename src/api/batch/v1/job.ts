/** A Job runs pods until enough of them have succeeded. */

import { elided, int32, list, optional, type Static, string, struct, time } from "../../../machinery/schema/build.ts";
import { checker } from "../../../machinery/schema/constraints.ts";
import { kind, status } from "../../../machinery/schema/kind.ts";
import type { ObjectMeta } from "../../../machinery/schema/object-meta.ts";
import type { Environment } from "../../../machinery/schema/schema.ts";
import type { FieldError } from "../../../machinery/status/field-error.ts";
import { humanDuration } from "../../../machinery/table/human-duration.ts";
import { ageColumn, nameColumn } from "../../columns.ts";
import { containerImages, containerNames } from "../../core/v1/pod/columns.ts";
import { dropFieldsBehindGates } from "../../core/v1/pod/fields-behind-gates.ts";
import { selectorText } from "../../meta/selector-text.ts";
import { generateSelector, shareLabels, validateGeneratedSelector, validateSelector } from "./job-selector.ts";
import { JobSpec } from "./job-spec.ts";
import { validateJobSpec } from "./validate-job-spec.ts";

export const JobCondition = struct("batch.v1.JobCondition", {
  type: string().at(1).doc("The type of the condition: Complete, Failed or Suspended."),
  status: string().at(2).doc("Whether the condition holds: True, False or Unknown."),
  lastProbeTime: elided(time()).at(3).doc("When the condition was last checked."),
  lastTransitionTime: elided(time()).at(4).doc("When status last changed from one value to another."),
  reason: elided(string()).at(5).doc("One CamelCase word, for programs, that says why the condition last changed."),
  message: elided(string()).at(6).doc("A sentence for people about the last change; may be empty."),
});
export type JobCondition = Static<typeof JobCondition>;

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
});
export type JobStatus = Static<typeof JobStatus>;

const checkStatus = checker(JobStatus);

export const Job = kind({
  group: "batch",
  version: "v1",
  kind: "Job",
  resource: "jobs",
  scope: "Namespaced",
  categories: ["all"],
  doc: "A Job runs pods until enough of them have succeeded.",
  fields: {
    spec: elided(JobSpec).at(2).doc("The desired state of the job, set by its users."),
    status: elided(JobStatus).at(3).doc("The most recently observed state of the job, written by the system."),
  },
  compat: { orphansByDefault: true },
  defaults(job, { gates }) {
    shareLabels(job);
    const { spec } = job;
    if (spec === undefined) return;
    // One success completes a job only if parallelism is not set.
    if (spec.completions === undefined && spec.parallelism === undefined) {
      spec.completions = 1;
      spec.parallelism = 1;
    }
    spec.parallelism ??= 1;
    spec.backoffLimit ??= 6;
    if (gates.enabled("IndexedJob")) spec.completionMode ??= "NonIndexed";
    if (gates.enabled("SuspendJob")) spec.suspend ??= false;
  },
  prepareForCreate(job, environment) {
    generateSelector(job);
    dropFieldsBehindGates(job.spec?.template.spec, undefined, environment);
    dropJobFieldsBehindGates(job.spec, undefined, environment);
  },
  prepareForUpdate(job, old, environment) {
    dropFieldsBehindGates(job.spec?.template.spec, old.spec?.template.spec, environment);
    dropJobFieldsBehindGates(job.spec, old.spec, environment);
  },
  validate: validateJob,
  complete(job) {
    const shared = { ...job, metadata: { ...job.metadata } };
    shareLabels(shared);
    return shared;
  },
  selectableFields: { "status.successful": (job) => String(job.status?.succeeded ?? 0) },
  from: { "1.22": { generation: true } },
  columns: (column) => [
    nameColumn,
    column("Status", jobState, { since: "1.29" }),
    column("Completions", (job) => completionsText(job.spec, job.status?.succeeded ?? 0)),
    column("Duration", (job, environment) => durationText(job.status, environment)),
    ageColumn,
    column("Containers", (job) => containerNames(job.spec?.template.spec), { priority: 1 }),
    column("Images", (job) => containerImages(job.spec?.template.spec), { priority: 1 }),
    column("Selector", (job) => selectorText(job.spec?.selector), { priority: 1 }),
  ],
  subresources: [
    status({
      validate: ({ status }: { status?: JobStatus }, _old, environment) => checkStatus(status, "status", environment),
    }),
  ],
});
export type Job = Static<typeof Job>;

/** One word on how the job is doing. */
function jobState({ metadata, spec, status }: { metadata: ObjectMeta; spec?: JobSpec; status?: JobStatus }): string {
  const has = (type: string) => status?.conditions?.some((one) => one.type === type && one.status === "True");
  if (has("Complete")) return "Complete";
  if (has("Failed")) return "Failed";
  if (metadata.deletionTimestamp) return "Terminating";
  if (has("Suspended") || spec?.suspend) return "Suspended";
  if (has("FailureTarget")) return "FailureTarget";
  return has("SuccessCriteriaMet") ? "SuccessCriteriaMet" : "Running";
}

const noSpec: JobSpec = { template: {} };

function validateJob(job: { metadata: ObjectMeta; spec?: JobSpec }, environment: Environment): FieldError[] {
  return [
    ...validateGeneratedSelector(job),
    ...validateJobSpec(job.spec ?? noSpec, "spec", environment),
    ...validateSelector(job.spec ?? noSpec),
  ];
}

function dropJobFieldsBehindGates(spec: JobSpec | undefined, old: JobSpec | undefined, { gates }: Environment): void {
  if (spec === undefined) return;
  if (!gates.enabled("TTLAfterFinished") && old?.ttlSecondsAfterFinished === undefined) {
    delete spec.ttlSecondsAfterFinished;
  }
  if (!gates.enabled("IndexedJob") && old?.completionMode === undefined) delete spec.completionMode;
  // A job that is suspended may be resumed, whatever the gate says by now.
  if (!gates.enabled("SuspendJob") && old?.suspend !== true) {
    if (old?.suspend === undefined) delete spec.suspend;
    else spec.suspend = old.suspend;
  }
}

function completionsText(spec: JobSpec | undefined, succeeded: number): string {
  if (spec?.completions !== undefined) return `${succeeded}/${spec.completions}`;
  const parallelism = spec?.parallelism ?? 0;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

/** How long the job has run, or took. */
function durationText(status: JobStatus | undefined, { clock }: Environment): string {
  if (!status?.startTime) return "";
  const end = status.completionTime ? Date.parse(status.completionTime) : clock.now();
  return humanDuration(end - Date.parse(status.startTime));
}
