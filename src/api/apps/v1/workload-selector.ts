/** Which pods the selector of a workload selects. */

import { labelSelectorFromObject } from "../../../machinery/selectors/label-selector.ts";
import { isSoundSelector, type LabelSelector } from "../../meta/label-selector.ts";

export const isEmptySelector = (selector: LabelSelector): boolean =>
  Object.keys(selector.matchLabels ?? {}).length + (selector.matchExpressions ?? []).length === 0;

/** Undefined if the selector matches everything or is invalid: that is reported elsewhere. An absent one matches nothing. */
export function selecting(
  selector: LabelSelector | null | undefined,
): ((labels: ReadonlyMap<string, string>) => boolean) | undefined {
  if (!selector) return () => false;
  if (isEmptySelector(selector) || !isSoundSelector(selector)) return undefined;
  const parsed = labelSelectorFromObject(selector);
  return (labels) => parsed.matches(labels);
}
