/** Checks that the kinds of this group share: selectors, templates, percentages. */

import { validateLabelSelector } from "../../../machinery/meta/label-selector.ts";
import { isPercent } from "../../../machinery/meta/names.ts";
import type { ListOptions } from "../../../machinery/schema/build.ts";
import type { Environment } from "../../../machinery/schema/schema.ts";
import { labelSelectorFromObject } from "../../../machinery/selectors/label-selector.ts";
import { type FieldError, invalid, required } from "../../../machinery/status/field-error.ts";
import type { PodTemplateSpec } from "../../core/v1/pod/spec.ts";
import { validateSelectedTemplate } from "../../core/v1/pod/validate-template.ts";
import { isSoundSelector, type LabelSelector } from "../../meta/label-selector.ts";

/** Conditions of a status; apply sees each of them since 1.32. */
export const conditionList: ListOptions = {
  patchStrategy: "merge",
  patchMergeKey: "type",
  from: { "1.32": { topology: "map", keys: ["type"] } },
};

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

export const isEmptySelector = (selector: LabelSelector): boolean =>
  Object.keys(selector.matchLabels ?? {}).length + (selector.matchExpressions ?? []).length === 0;

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

/** Undefined if the selector matches everything or is invalid: that is reported elsewhere. An absent one matches nothing. */
export function selecting(
  selector: LabelSelector | null | undefined,
): ((labels: ReadonlyMap<string, string>) => boolean) | undefined {
  if (!selector) return () => false;
  if (isEmptySelector(selector) || !isSoundSelector(selector)) return undefined;
  const parsed = labelSelectorFromObject(selector);
  return (labels) => parsed.matches(labels);
}

/** A number or a percentage. */
export function validatePart(value: number | string | undefined, path: string): FieldError[] {
  if (value === undefined) return [];
  if (typeof value === "string") return isPercent(value).map((problem) => invalid(path, value, problem));
  return value < 0 ? [invalid(path, value, "must be greater than or equal to 0")] : [];
}

export function validateAtMostAll(value: number | string | undefined, path: string): FieldError[] {
  return percentOf(value) > 100 ? [invalid(path, value, "must not be greater than 100%")] : [];
}

const percentOf = (value: number | string | undefined) =>
  typeof value === "string" && isPercent(value).length === 0 ? Number.parseInt(value, 10) : 0;

/** Whether a value is zero: 0, 0%, or a text that is not a number. */
export function isNothing(value: number | string | undefined): boolean {
  if (typeof value !== "string") return (value ?? 0) === 0;
  const digits = isPercent(value).length === 0 ? value.slice(0, -1) : value;
  return !/^[+-]?[0-9]+$/.test(digits) || Number(digits) === 0;
}

export function validateCollisions(next: number | undefined, old: number | undefined): FieldError[] {
  if (old === undefined) return next !== undefined && next < 0 ? [negative(next)] : [];
  if (next === undefined || next < old) {
    return [invalid("status.collisionCount", next, "cannot be decremented")];
  }
  return [];
}

const negative = (value: number) => invalid("status.collisionCount", value, "must be greater than or equal to 0");
