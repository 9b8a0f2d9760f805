/** Checks of disruption budgets. */

import { validateLabelSelector } from "../../../machinery/meta/label-selector.ts";
import { type FieldError, invalid } from "../../../machinery/status/field-error.ts";
import { validateAtMostAll, validatePart } from "../../apps/v1/validate-workload.ts";
import { validateNotNegative } from "../../core/v1/pod/validate-actions.ts";
import { validateConditions } from "../../meta/validate-condition.ts";
import type { PodDisruptionBudgetSpec, PodDisruptionBudgetStatus } from "./pod-disruption-budget.ts";

export function validateBudgetSpec(spec: PodDisruptionBudgetSpec): FieldError[] {
  const { minAvailable, maxUnavailable, selector } = spec;
  const errors: FieldError[] = [];
  if (minAvailable !== undefined && maxUnavailable !== undefined) {
    errors.push(invalid("spec", spec, "must not have both minAvailable and maxUnavailable"));
  }
  return [
    ...errors,
    ...validatePart(minAvailable, "spec.minAvailable"),
    ...validateAtMostAll(minAvailable, "spec.minAvailable"),
    ...validatePart(maxUnavailable, "spec.maxUnavailable"),
    ...validateAtMostAll(maxUnavailable, "spec.maxUnavailable"),
    ...validateLabelSelector(selector, "spec.selector"),
  ];
}

interface WithStatus {
  status?: PodDisruptionBudgetStatus;
}

export const validateBudgetStatus = ({ status }: WithStatus): FieldError[] => [
  ...validateConditions(status?.conditions ?? [], "status.conditions"),
  ...validateNotNegative(status?.disruptionsAllowed, "status.disruptionsAllowed"),
  ...validateNotNegative(status?.currentHealthy, "status.currentHealthy"),
  ...validateNotNegative(status?.desiredHealthy, "status.desiredHealthy"),
  ...validateNotNegative(status?.expectedPods, "status.expectedPods"),
];

/** The only checks through v1beta1, which never validated numbers. */
export const validateBudgetConditions = ({ status }: WithStatus): FieldError[] =>
  validateConditions(status?.conditions ?? [], "status.conditions");
