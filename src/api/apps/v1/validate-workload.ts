/** Checks that the kinds of this group share: of templates, and of counts that only grow. */

import type { Environment } from "../../../machinery/schema/environment.ts";
import { type FieldError, invalid } from "../../../machinery/status/field-error.ts";
import type { PodTemplateSpec } from "../../core/v1/pod/spec.ts";
import { validateSelectedTemplate } from "../../core/v1/pod/validate-template.ts";
import { isSoundSelector, type LabelSelector } from "../../meta/label-selector.ts";
import { selecting } from "./workload-selector.ts";

/** The template, with the checks for pods that are kept running. It is not checked while the selector is invalid. */
export function validateTemplate(
  template: PodTemplateSpec | undefined,
  selector: LabelSelector | null | undefined,
  replicas: number,
  environment: Environment,
): FieldError[] {
  return isSoundSelector(selector)
    ? validateSelectedTemplate(template, selecting(selector), replicas, "spec.template", environment)
    : [];
}

/** How often names collided never becomes less. */
export const validateCollisions = (next: number | undefined, old: number | undefined): FieldError[] =>
  old !== undefined && (next === undefined || next < old)
    ? [invalid("status.collisionCount", next, "cannot be decremented")]
    : [];
