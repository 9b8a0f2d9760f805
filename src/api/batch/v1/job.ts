/** A Job runs pods until enough of them have succeeded. */

import { isDns1123Label } from "../../../machinery/meta/names.ts";
import { elided, type Static } from "../../../machinery/schema/build.ts";
import type { Environment } from "../../../machinery/schema/environment.ts";
import { kind, status } from "../../../machinery/schema/kind.ts";
import type { ObjectMeta } from "../../../machinery/schema/object-meta.ts";
import { type FieldErrors, invalid } from "../../../machinery/status/field-error.ts";
import { humanDuration } from "../../../machinery/table/human-duration.ts";
import { ageColumn, nameColumn } from "../../columns.ts";
import { containerImages, containerNames } from "../../core/v1/pod/columns.ts";
import { withoutKeptPages } from "../../core/v1/pod/kept-huge-pages.ts";
import { has } from "../../features.ts";
import { selectorText } from "../../meta/selector-text.ts";
import { podNameWarnings } from "../../name-warnings.ts";
import { jobRelations } from "./job-relations.ts";
import { generateSelector, shareLabels, validateGeneratedSelector, validateSelector } from "./job-selector.ts";
import { JobSpec } from "./job-spec.ts";
import { JobStatus } from "./job-status.ts";
import { jobSpecWarnings } from "./job-warnings.ts";
import { validateJobChange } from "./validate-job-change.ts";
import { validateJobSpec } from "./validate-job-spec.ts";
import { validateJobStatus } from "./validate-job-status.ts";

export const Job = kind({
  group: "batch",
  version: "v1",
  kind: "Job",
  resource: "jobs",
  scope: "Namespaced",
  categories: ["all"],
  doc: "A Job runs pods until enough of them have succeeded.",
  fields: {
    // Only in jobs, not in the templates of cron jobs.
    spec: elided(JobSpec)
      .at(2)
      .behind("TTLAfterFinished", { member: "ttlSecondsAfterFinished" })
      .behind("IndexedJob", { member: "completionMode" })
      .behind("JobPodFailurePolicy", { member: "podFailurePolicy" })
      .behind("JobBackoffLimitPerIndex", { member: "backoffLimitPerIndex" })
      .behind("JobBackoffLimitPerIndex", { member: "maxFailedIndexes" })
      .behind("JobPodReplacementPolicy", { member: "podReplacementPolicy" })
      .behind("JobManagedBy", { member: "managedBy" })
      .behind("JobSuccessPolicy", { member: "successPolicy" })
      // A job that is suspended may be resumed, whatever the gate says by now.
      .behind("SuspendJob", { member: "suspend", unused: [false] })
      .doc("The desired state of the job, set by its users."),
    status: elided(JobStatus).at(3).doc("The most recently observed state of the job, written by the system."),
  },
  compat: { orphansByDefault: true },
  defaults(job, { gates, since }) {
    shareLabels(job);
    const { spec } = job;
    if (spec === undefined) return;
    // One success completes a job only if parallelism is not set.
    if (spec.completions === undefined && spec.parallelism === undefined) {
      spec.completions = 1;
      spec.parallelism = 1;
    }
    spec.parallelism ??= 1;
    // Where each index has a limit of its own, that of the whole job is out of reach.
    spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : int32Max;
    if (gates.enabled("IndexedJob")) spec.completionMode ??= "NonIndexed";
    if (gates.enabled("SuspendJob")) spec.suspend ??= false;
    if (since("1.29")) spec.podReplacementPolicy ??= spec.podFailurePolicy ? "Failed" : "TerminatingOrFailed";
    if (since("1.32")) spec.manualSelector ??= false;
  },
  prepareForCreate(job, environment) {
    generateSelector(job, environment);
  },
  relations: jobRelations,
  validate: (job, environment) => validateJob(job, environment),
  validateUpdate: (job, old, environment) => [
    ...withoutKeptPages(validateJob(job, environment, old), old.spec?.template.spec),
    ...validateJobChange(job, old, environment),
  ],
  warnings: ({ metadata, spec }, old, environment) => [
    ...(has(environment, "podNameWarnings") && old === undefined ? podNameWarnings(metadata) : []),
    ...(old === undefined || old.metadata.generation !== metadata.generation
      ? jobSpecWarnings(spec, "spec", environment)
      : []),
  ],
  complete(job) {
    const shared = { ...job, metadata: { ...job.metadata } };
    shareLabels(shared);
    return shared;
  },
  selectableFields: { "status.successful": (job) => String(job.status?.succeeded ?? 0) },
  from: {
    "1.22": { generation: true },
    "1.23": {
      compat: {
        orphansByDefault:
          "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning",
      },
    },
  },
  columns: (column) => [
    nameColumn,
    column("Status", jobState, { since: "1.30" }),
    column("Completions", (job) => completionsText(job.spec, job.status?.succeeded ?? 0)),
    column("Duration", (job, environment) => durationText(job.status, environment)),
    ageColumn,
    column("Containers", (job) => containerNames(job.spec?.template.spec), { priority: 1 }),
    column("Images", (job) => containerImages(job.spec?.template.spec), { priority: 1 }),
    column("Selector", (job) => selectorText(job.spec?.selector), { priority: 1 }),
  ],
  subresources: [status({ validate: validateJobStatus })],
});
export type Job = Static<typeof Job>;

/** One word on how the job is doing. */
function jobState({ metadata, status }: { metadata: ObjectMeta; status?: JobStatus }): string {
  const has = (type: string) => status?.conditions?.some((one) => one.type === type && one.status === "True");
  if (has("Complete")) return "Complete";
  if (has("Failed")) return "Failed";
  if (metadata.deletionTimestamp) return "Terminating";
  if (has("Suspended")) return "Suspended";
  if (has("FailureTarget")) return "FailureTarget";
  return has("SuccessCriteriaMet") ? "SuccessCriteriaMet" : "Running";
}

const int32Max = 2_147_483_647;
const noSpec: JobSpec = { template: {} };

interface JobParts {
  metadata: ObjectMeta;
  spec?: JobSpec;
}

/** `old` undefined: the job is new. */
function validateJob(job: JobParts, environment: Environment, old?: JobParts): FieldErrors {
  return [
    ...validateGeneratedSelector(job, environment, old),
    ...validateJobSpec(job.spec ?? noSpec, "spec", environment),
    ...validateSelector(job.spec ?? noSpec, environment),
    ...(old === undefined && has(environment, "hostNamesOfIndexes") ? validateHostNames(job) : []),
  ];
}

/** The pods of an indexed job have its name and their index as host names. */
function validateHostNames({ metadata: { name }, spec }: JobParts): FieldErrors {
  if (spec?.completionMode !== "Indexed" || !spec.completions || spec.completions < 0) return [];
  const last = `${name}-${spec.completions - 1}`;
  const isHostName = isDns1123Label(last).length === 0;
  return isHostName
    ? []
    : [invalid("metadata.name", name, `${last} cannot be the host name of a pod: must be a DNS label`)];
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
