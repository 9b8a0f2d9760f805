/** Checks of the spec of a job, in jobs and in the templates of cron jobs. */

import type { Environment } from "../../../machinery/schema/environment.ts";
import { type FieldError, invalid, notSupported, required } from "../../../machinery/status/field-error.ts";
import { validatePodTemplateSpec } from "../../core/v1/pod/validate-template.ts";
import type { JobSpec, JobTemplateSpec } from "./job-spec.ts";

/** A job that a template makes chooses its own selector. */
export function validateJobTemplate(template: JobTemplateSpec, path: string, environment: Environment): FieldError[] {
  const spec = template.spec ?? { template: {} };
  const errors = validateJobSpec(spec, `${path}.spec`, environment);
  if (spec.selector) {
    errors.push(invalid(`${path}.spec.selector`, spec.selector, "`selector` will be generated"));
  }
  if (spec.manualSelector === true) {
    errors.push(notSupported(`${path}.spec.manualSelector`, true, ["nil", "false"]));
  }
  return errors;
}

export function validateJobSpec(spec: JobSpec, path: string, environment: Environment): FieldError[] {
  const errors: FieldError[] = [...validatePodTemplateSpec(spec.template, `${path}.template`, environment)];
  const policy = spec.template.spec?.restartPolicy ?? "";
  if (policy === "" || policy === "Always") {
    errors.push(required(`${path}.template.spec.restartPolicy`, 'valid values: "OnFailure", "Never"'));
  } else if (policy !== "OnFailure" && policy !== "Never") {
    errors.push(notSupported(`${path}.template.spec.restartPolicy`, policy, ["OnFailure", "Never"]));
  }
  return errors;
}
