/** Checks that the kinds of this group share: selectors, templates, percentages. */

import { validateLabelSelector } from "../../../machinery/meta/label-selector.ts";
import type { Environment } from "../../../machinery/schema/schema.ts";
import { type FieldError, invalid, required } from "../../../machinery/status/field-error.ts";
import type { PodTemplateSpec } from "../../core/v1/pod/spec.ts";
import { validateSelectedTemplate } from "../../core/v1/pod/validate-template.ts";
import { isSoundSelector, type LabelSelector } from "../../meta/label-selector.ts";
import { isEmptySelector, selecting } from "./workload-selector.ts";

/** A selector that exists, is valid and does not match every pod. */
export function validateSelector(
  selector: LabelSelector | null | undefined,
  what: string,
  environment: Environment,
  path = "spec.selector",
): FieldError[] {
  if (!selector) return [required(path)];
  const errors = [...validateLabelSelector(selector, path, environment)];
  if (!isSoundSelector(selector)) errors.push(invalid(path, selector, "invalid label selector"));
  if (isEmptySelector(selector)) errors.push(invalid(path, selector, `empty selector is invalid for ${what}`));
  return errors;
}

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

export function validateCollisions(next: number | undefined, old: number | undefined): FieldError[] {
  if (old === undefined) return next !== undefined && next < 0 ? [negative(next)] : [];
  if (next === undefined || next < old) {
    return [invalid("status.collisionCount", next, "cannot be decremented")];
  }
  return [];
}

const negative = (value: number) => invalid("status.collisionCount", value, "must be greater than or equal to 0");
