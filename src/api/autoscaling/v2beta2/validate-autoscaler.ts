/** Checks of autoscalers: their bounds, what they scale, and how they may. */

import type { FieldError } from "../../../machinery/status/field-error.ts";
import { addTo, forbidden, invalid, notSupported, required } from "../../../machinery/status/field-error.ts";
import { validateNotNegative } from "../../core/v1/pod/validate-actions.ts";
import type { HPAScalingPolicy, HPAScalingRules } from "./behavior.ts";
import type { HorizontalPodAutoscalerSpec, HorizontalPodAutoscalerStatus } from "./horizontal-pod-autoscaler.ts";
import { validateMetric, validateReference } from "./validate-metric.ts";

export const stabilizationSecondsMax = 3600;
export const periodSecondsMax = 1800;
const selectPolicies = ["Disabled", "Max", "Min"];
const policyTypes = ["Percent", "Pods"];

export function validateSpec(spec: HorizontalPodAutoscalerSpec, minReplicasMin: number): FieldError[] {
  const { minReplicas: min, maxReplicas: max, metrics = [], behavior } = spec;
  const errors: FieldError[] = [];
  if (min !== undefined && min < minReplicasMin) {
    errors.push(invalid("spec.minReplicas", min, `must be greater than or equal to ${minReplicasMin}`));
  }
  if (max < 1) errors.push(invalid("spec.maxReplicas", max, "must be greater than 0"));
  if (min !== undefined && max < min) {
    errors.push(invalid("spec.maxReplicas", max, "must be greater than or equal to `minReplicas`"));
  }
  addTo(errors, validateReference(spec.scaleTargetRef, "spec.scaleTargetRef"));
  addTo(
    errors,
    metrics.flatMap((metric, index) => validateMetric(metric, `spec.metrics[${index}]`)),
  );
  addTo(errors, validateRules(behavior?.scaleUp, "spec.behavior.scaleUp"));
  addTo(errors, validateRules(behavior?.scaleDown, "spec.behavior.scaleDown"));
  // Metrics of pods mean nothing when there are no pods.
  if (min === 0 && !metrics.some(({ type }) => type === "Object" || type === "External")) {
    errors.push(forbidden("spec.metrics", "scaling to zero needs at least one Object or External metric"));
  }
  return errors;
}

function validateRules(rules: HPAScalingRules | undefined, path: string): FieldError[] {
  if (rules === undefined) return [];
  const { stabilizationWindowSeconds: seconds = 0, selectPolicy, policies = [] } = rules;
  const errors: FieldError[] = [];
  const at = `${path}.stabilizationWindowSeconds`;
  if (seconds < 0) errors.push(invalid(at, seconds, "must be greater than or equal to 0"));
  if (seconds > stabilizationSecondsMax) {
    errors.push(invalid(at, seconds, `must be less than or equal to ${stabilizationSecondsMax}`));
  }
  if (selectPolicy !== undefined && !selectPolicies.includes(selectPolicy)) {
    errors.push(notSupported(`${path}.selectPolicy`, selectPolicy, selectPolicies));
  }
  if (policies.length === 0) errors.push(required(`${path}.policies`, "must have at least one policy"));
  return [...errors, ...policies.flatMap((policy, index) => validatePolicy(policy, `${path}.policies[${index}]`))];
}

function validatePolicy({ type, value, periodSeconds }: HPAScalingPolicy, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (!policyTypes.includes(type)) errors.push(notSupported(`${path}.type`, type, policyTypes));
  if (value <= 0) errors.push(invalid(`${path}.value`, value, "must be greater than 0"));
  if (periodSeconds <= 0) errors.push(invalid(`${path}.periodSeconds`, periodSeconds, "must be greater than 0"));
  if (periodSeconds > periodSecondsMax) {
    errors.push(invalid(`${path}.periodSeconds`, periodSeconds, `must be less than or equal to ${periodSecondsMax}`));
  }
  return errors;
}

/** The same in all versions. */
export function validateStatus({
  status,
}: {
  status?: Pick<HorizontalPodAutoscalerStatus, "currentReplicas" | "desiredReplicas">;
}): FieldError[] {
  return [
    ...validateNotNegative(status?.currentReplicas, "status.currentReplicas"),
    ...validateNotNegative(status?.desiredReplicas, "status.desiredReplicas"),
  ];
}
