/** A CronJob starts jobs at the times of a schedule. */

import { maskTrailingDash } from "../../../machinery/meta/name-rule.ts";
import { isDns1123Subdomain } from "../../../machinery/meta/names.ts";
import type { Static } from "../../../machinery/schema/build.ts";
import { bool, elided, int32, int64, list, optional, string, struct, time } from "../../../machinery/schema/build.ts";
import type { Environment } from "../../../machinery/schema/environment.ts";
import { kind, status } from "../../../machinery/schema/kind.ts";
import { type FieldErrors, required } from "../../../machinery/status/field-error.ts";
import { ageColumn, ageText, nameColumn } from "../../columns.ts";
import { containerImages, containerNames } from "../../core/v1/pod/columns.ts";
import { keepingPages } from "../../core/v1/pod/kept-huge-pages.ts";
import { ObjectReference } from "../../core/v1/references.ts";
import { has } from "../../features.ts";
import { selectorText } from "../../meta/selector-text.ts";
import { podNameWarnings } from "../../name-warnings.ts";
import { validateSchedule } from "./cron-schedule.ts";
import { jobRelations } from "./job-relations.ts";
import { JobTemplateSpec } from "./job-spec.ts";
import { jobSpecWarnings } from "./job-warnings.ts";
import { timeZoneProblems } from "./time-zone.ts";
import { validateJobTemplate } from "./validate-job-spec.ts";

export const CronJobSpec = struct("batch.v1.CronJobSpec", {
  schedule: string()
    .at(1)
    .required()
    .checked(validateSchedule)
    .doc("When jobs are created, in cron format: minute, hour, day of month, month, day of week."),
  startingDeadlineSeconds: optional(int64())
    .at(2)
    .atLeast(0)
    .doc(
      "Seconds after its scheduled time within which a job may still start; later it counts as missed. Absent: no deadline.",
    ),
  concurrencyPolicy: elided(string())
    .at(3)
    .required()
    .oneOf(["Allow", "Forbid", "Replace"])
    .default("Allow")
    .doc(
      "Allow, Forbid (skip a run while the previous one is unfinished) or Replace (stop the previous one). Default: Allow.",
    ),
  suspend: optional(bool())
    .at(4)
    .default(false)
    .doc("Whether further runs are skipped; running jobs continue. Default: false."),
  jobTemplate: JobTemplateSpec.at(5).changeable().doc("The template of the jobs that are created. Required."),
  successfulJobsHistoryLimit: optional(int32())
    .at(6)
    .atLeast(0)
    .default(3)
    .doc("How many successful jobs are kept. Default: 3."),
  failedJobsHistoryLimit: optional(int32())
    .at(7)
    .atLeast(0)
    .default(1)
    .doc("How many failed jobs are kept. Default: 1."),
  timeZone: optional(string())
    .at(8)
    .since("1.24")
    .behind("CronJobTimeZone")
    .named(timeZoneProblems)
    .doc("The time zone of the schedule, such as Europe/Berlin. Absent: that of the controller manager."),
});
export type CronJobSpec = Static<typeof CronJobSpec>;

export const CronJobStatus = struct("batch.v1.CronJobStatus", {
  active: elided(list(ObjectReference, { topology: "atomic" }))
    .at(1)
    .doc("The jobs that are running now."),
  lastScheduleTime: optional(time()).at(4).doc("The scheduled time of the job that was created last."),
  lastSuccessfulTime: optional(time()).at(5).doc("When a job last completed successfully."),
});
export type CronJobStatus = Static<typeof CronJobStatus>;

function zoneWarnings(schedule: string | undefined, environment: Environment): string[] {
  if (!schedule?.includes("TZ") || !has(environment, "timeZoneWarnings")) return [];
  const page = environment.vocabulary.word("orch.io/docs/concepts/workloads/controllers/cron-jobs/");
  return [`CRON_TZ or TZ used in spec.spec.schedule is not officially supported, see https://${page} for more details`];
}

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
    spec: elided(CronJobSpec).listed(true, "1.36").at(2).doc("The desired state of the cron job, set by its users."),
    status: elided(CronJobStatus).at(3).doc("The most recently observed state of the cron job, written by the system."),
  },
  stored: "batch/v1beta1",
  // The controller adds eleven characters to name a job.
  name: (name, environment, generated) => jobNameProblems(name, environment, generated),
  relations: jobRelations,
  validate: validateCronJob,
  validateUpdate: keepingPages(validateCronJob, ({ spec }) => spec?.jobTemplate.spec?.template.spec),
  warnings: ({ metadata, spec }, old, environment) => [
    ...zoneWarnings(spec?.schedule, environment),
    ...(has(environment, "podNameWarnings") && old === undefined ? podNameWarnings(metadata) : []),
    ...(old === undefined || old.metadata.generation !== metadata.generation
      ? jobSpecWarnings(spec?.jobTemplate.spec, "spec.jobTemplate.spec", environment)
      : []),
  ],
  // The older version accepts the field of jobs, but never matches it.
  selectableFields: { "status.successful": () => "" },
  selectableAs: {},
  from: { "1.22": { generation: true } },
  columns: (column) => [
    nameColumn,
    column("Schedule", (job) => job.spec?.schedule),
    column("Timezone", (job) => job.spec?.timeZone ?? "<none>", { since: "1.30" }),
    column("Suspend", (job) => (job.spec?.suspend ? "True" : "False"), { type: "boolean" }),
    column("Active", (job) => (job.status?.active ?? []).length, { type: "integer" }),
    column("Last Schedule", (job, environment) =>
      job.status?.lastScheduleTime ? ageText(job.status.lastScheduleTime, environment) : "<none>",
    ),
    ageColumn,
    column("Containers", (job) => containerNames(job.spec?.jobTemplate.spec?.template.spec), { priority: 1 }),
    column("Images", (job) => containerImages(job.spec?.jobTemplate.spec?.template.spec), { priority: 1 }),
    column("Selector", (job) => selectorText(job.spec?.jobTemplate.spec?.selector), { priority: 1 }),
  ],
  subresources: [status()],
});
export type CronJob = Static<typeof CronJob>;

function validateCronJob({ spec }: { spec?: CronJobSpec }, environment: Environment): FieldErrors {
  return spec ? validateJobTemplate(spec.jobTemplate, "spec.jobTemplate", environment) : [required("spec")];
}

const nameCharsMax = 52;

function jobNameProblems(name: string, _environment: Environment, generated: boolean): readonly string[] {
  if (generated) return isDns1123Subdomain(maskTrailingDash(name));
  const problems = isDns1123Subdomain(name);
  return name.length > nameCharsMax ? [...problems, `must be no more than ${nameCharsMax} characters`] : problems;
}
