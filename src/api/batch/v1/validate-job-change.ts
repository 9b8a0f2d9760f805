/** What an update of a job may change of its completions, their mode and its template. */

import type { Environment } from "../../../machinery/schema/environment.ts";
import { sameValue } from "../../../machinery/schema/same-value.ts";
import { type FieldErrors, invalid, noErrors } from "../../../machinery/status/field-error.ts";
import { PodTemplateSpec } from "../../core/v1/pod/spec.ts";
import { has } from "../../features.ts";
import { immutable } from "../../validation.ts";
import { withoutAdjustable } from "./adjustable-template.ts";
import type { JobSpec } from "./job-spec.ts";
import type { JobStatus } from "./job-status.ts";

interface JobParts {
  readonly spec?: JobSpec;
  readonly status?: JobStatus;
}

const noSpec: JobSpec = { template: {} };

export function validateJobChange(job: JobParts, old: JobParts, environment: Environment): FieldErrors {
  const [spec, before] = [job.spec ?? noSpec, old.spec ?? noSpec];
  return [
    // A job that was stored before the feature has none, which means the same as the default.
    ...immutable("spec.completionMode", spec.completionMode ?? "NonIndexed", before.completionMode ?? "NonIndexed"),
    ...validateCompletions(spec, before, environment),
    ...validateTemplate(spec, old, environment),
  ];
}

/** An Indexed job may be scaled: both numbers change together. */
function validateCompletions(spec: JobSpec, before: JobSpec, environment: Environment): FieldErrors {
  const isElastic = has(environment, "elasticJobs") && spec.completionMode === "Indexed";
  if (!isElastic) return immutable("spec.completions", spec.completions, before.completions);
  // That an Indexed job needs completions is reported elsewhere.
  if (spec.completions === undefined || spec.completions === before.completions) return noErrors;
  if (spec.completions === spec.parallelism) return noErrors;
  return [invalid("spec.completions", spec.completions, "can only be changed together with spec.parallelism")];
}

/** Where pods are scheduled, and their labels, may change until the first of them exists; behind a gate, whenever none exists. */
function validateTemplate({ template }: JobSpec, { spec, status }: JobParts, environment: Environment): FieldErrors {
  const before = spec?.template ?? {};
  const { startTime, active = 0, conditions = [] } = status ?? {};
  const { gates } = environment;
  const isIdle =
    !startTime ||
    (gates.enabled("MutableSchedulingDirectivesForSuspendedJobs") &&
      active === 0 &&
      conditions.some(({ type, status: is }) => type === "Suspended" && is === "True"));
  const isAdjustable = has(environment, "adjustableTemplates") && spec?.suspend === true && isIdle;
  const sizes = gates.enabled("MutablePodResourcesForSuspendedJobs");
  const [next, old] = isAdjustable
    ? [withoutAdjustable(template, sizes), withoutAdjustable(before, sizes)]
    : [template, before];
  if (sameValue(next, old, PodTemplateSpec)) return noErrors;
  const isNamed = isAdjustable && has(environment, "namedTemplateChanges") && !sameValue(next.spec, old.spec);
  return [invalid(isNamed ? "spec.template.spec" : "spec.template", template, "field is immutable")];
}
