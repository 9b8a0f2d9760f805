/** Which pods the selector of a workload selects, and the rules of such a selector. */

import { validateLabelSelector } from "../../../machinery/meta/label-selector.ts";
import type { Environment } from "../../../machinery/schema/environment.ts";
import { labelSelectorFromObject } from "../../../machinery/selectors/label-selector.ts";
import { type FieldErrors, invalid, noErrors } from "../../../machinery/status/field-error.ts";
import { isSoundSelector, type LabelSelector } from "../../meta/label-selector.ts";

export const isEmptySelector = (selector: LabelSelector): boolean =>
  Object.keys(selector.matchLabels ?? {}).length + (selector.matchExpressions ?? []).length === 0;

/** A selector whose values are valid as well. */
export const validateSound = (selector: LabelSelector, path: string, environment: Environment): FieldErrors => [
  ...validateLabelSelector(selector, path, environment),
  ...(isSoundSelector(selector) ? noErrors : [invalid(path, selector, "invalid label selector")]),
];

/** A selector that does not match every pod. `owner`: what has it. */
export const narrower =
  (owner: string) =>
  (selector: LabelSelector, path: string): FieldErrors =>
    isEmptySelector(selector) ? [invalid(path, selector, `empty selector is invalid for ${owner}`)] : noErrors;

/** Undefined if the selector matches everything or is invalid: that is reported elsewhere. An absent one matches nothing. */
export function selecting(
  selector: LabelSelector | null | undefined,
): ((labels: ReadonlyMap<string, string>) => boolean) | undefined {
  if (!selector) return () => false;
  if (isEmptySelector(selector) || !isSoundSelector(selector)) return undefined;
  const parsed = labelSelectorFromObject(selector);
  return (labels) => parsed.matches(labels);
}
