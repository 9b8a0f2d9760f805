/** Keys of labels whose values the selectors of a pod take from the pod itself. */

import { validateLabelKey } from "../../../../machinery/meta/labels.ts";
import { on, type Relation } from "../../../../machinery/schema/constraints.ts";
import type { Environment } from "../../../../machinery/schema/environment.ts";
import {
  type FieldErrors,
  forbidden,
  invalid,
  noErrors,
  ofEach,
  together,
} from "../../../../machinery/status/field-error.ts";
import { has } from "../../../features.ts";
import type { LabelSelector } from "../../../meta/label-selector.ts";
import { PodAffinityTerm, TopologySpreadConstraint } from "./scheduling.ts";
import type { PodSpec } from "./spec.ts";

export const labelKeyRelations: readonly Relation[] = [
  on(
    PodAffinityTerm,
    ({ matchLabelKeys, mismatchLabelKeys, labelSelector }) => {
      if (!matchLabelKeys && !mismatchLabelKeys) return noErrors;
      const mismatched = new Set(mismatchLabelKeys);
      return together(
        validateKeys(matchLabelKeys, labelSelector, "matchLabelKeys"),
        validateKeys(mismatchLabelKeys, labelSelector, "mismatchLabelKeys"),
        // Beside a key to mismatch, the selector may have further requirements for that key.
        validateOnce(matchLabelKeys ?? [], labelSelector),
        ofEach(matchLabelKeys, (key, index) =>
          mismatched.has(key)
            ? [invalid(`matchLabelKeys[${index}]`, key, "exists in both matchLabelKeys and mismatchLabelKeys")]
            : noErrors,
        ),
      );
    },
    { since: "1.29" },
  ),
  on(
    TopologySpreadConstraint,
    ({ matchLabelKeys, labelSelector, minDomains, whenUnsatisfiable }, environment) =>
      together(
        validateKeys(matchLabelKeys, labelSelector, "matchLabelKeys"),
        has(environment, "mergedSpreadKeys")
          ? validateOnce(matchLabelKeys ?? [], labelSelector)
          : validateOther(matchLabelKeys, labelSelector),
        minDomains !== undefined && minDomains > 0 && whenUnsatisfiable !== "DoNotSchedule"
          ? [invalid("minDomains", minDomains, "can only be set with whenUnsatisfiable DoNotSchedule")]
          : noErrors,
      ),
    { since: "1.24" },
  ),
];

function validateKeys(
  keys: readonly string[] | undefined,
  selector: LabelSelector | undefined,
  path: string,
): FieldErrors {
  if (!keys?.length) return noErrors;
  if (selector === undefined) return [forbidden(path, "must not be specified when labelSelector is not set")];
  return ofEach(keys, (key, index) => validateLabelKey(key, `${path}[${index}]`));
}

/** Before they were merged, a key was either of the selector or of the list, and was checked even without a selector. */
function validateOther(keys: readonly string[] | undefined, selector: LabelSelector | undefined): FieldErrors {
  if (selector === undefined) return ofEach(keys, (key, index) => validateLabelKey(key, `matchLabelKeys[${index}]`));
  const { matchLabels = {}, matchExpressions } = selector;
  const selected = new Set([...Object.keys(matchLabels), ...(matchExpressions ?? []).map(({ key }) => key)]);
  return ofEach(keys, (key, index) =>
    selected.has(key)
      ? [invalid(`matchLabelKeys[${index}]`, key, "exists in both matchLabelKeys and labelSelector")]
      : noErrors,
  );
}

/** A pod's own selectors have the merged requirements already, so a key that occurs again was given by the client too. */
function validateOnce(keys: readonly string[], selector: LabelSelector | undefined): FieldErrors {
  if (keys.length === 0 || selector === undefined) return noErrors;
  const positions = new Map(keys.map((key, index) => [key, index]));
  const seen = new Set(Object.keys(selector.matchLabels ?? {}));
  return ofEach(selector.matchExpressions, ({ key }) => {
    const position = positions.get(key);
    const isAgain = seen.has(key);
    seen.add(key);
    return position !== undefined && isAgain
      ? [invalid(`[${position}]`, key, "exists in both matchLabelKeys and labelSelector")]
      : noErrors;
  });
}

/** Makes requirements of the keys, for a new pod with these labels. A key that the pod has no label for counts nothing. */
export function mergeLabelKeys(
  spec: PodSpec | undefined,
  labels: Readonly<Record<string, string>> = {},
  environment: Environment,
): void {
  const merge = (selector: LabelSelector | undefined, keys: readonly string[] | undefined, operator: string) => {
    const known = (keys ?? []).filter((key) => Object.hasOwn(labels, key));
    if (selector === undefined || known.length === 0) return;
    const more = known.map((key) => ({ key, operator, values: [labels[key] ?? ""] }));
    selector.matchExpressions = [...(selector.matchExpressions ?? []), ...more];
  };
  for (const constraint of (has(environment, "mergedSpreadKeys") && spec?.topologySpreadConstraints) || []) {
    merge(constraint.labelSelector, constraint.matchLabelKeys, "In");
  }
  for (const side of [spec?.affinity?.podAffinity, spec?.affinity?.podAntiAffinity]) {
    const preferred = side?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
    const terms = [
      ...(side?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
      ...preferred.map(({ podAffinityTerm }) => podAffinityTerm),
    ];
    for (const { labelSelector, matchLabelKeys, mismatchLabelKeys } of terms) {
      merge(labelSelector, matchLabelKeys, "In");
      merge(labelSelector, mismatchLabelKeys, "NotIn");
    }
  }
}
