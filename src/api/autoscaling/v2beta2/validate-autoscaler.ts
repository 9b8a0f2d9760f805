/** Relations between the bounds of an autoscaler, and the check of its status. */

import { pick } from "../../../machinery/schema/build.ts";
import { checker } from "../../../machinery/schema/constraints.ts";
import type { Environment } from "../../../machinery/schema/environment.ts";
import { type FieldError, type FieldErrors, forbidden, invalid } from "../../../machinery/status/field-error.ts";
import { type HorizontalPodAutoscalerSpec, HorizontalPodAutoscalerStatus } from "./autoscaler-spec.ts";

export function validateSpec(spec: HorizontalPodAutoscalerSpec, minReplicasMin: number): FieldError[] {
  const { minReplicas: min, maxReplicas: max, metrics = [] } = spec;
  const errors: FieldError[] = [];
  if (min === undefined) return errors;
  if (min < minReplicasMin) {
    errors.push(invalid("spec.minReplicas", min, `must be greater than or equal to ${minReplicasMin}`));
  }
  if (max < min) errors.push(invalid("spec.maxReplicas", max, "must be greater than or equal to `minReplicas`"));
  // Metrics of pods mean nothing when there are no pods.
  if (min === 0 && !metrics.some(({ type }) => type === "Object" || type === "External")) {
    errors.push(forbidden("spec.metrics", "scaling to zero needs at least one Object or External metric"));
  }
  return errors;
}

const checkCounts = checker(pick(HorizontalPodAutoscalerStatus, ["currentReplicas", "desiredReplicas"]));

interface WithStatus {
  status?: Pick<HorizontalPodAutoscalerStatus, "currentReplicas" | "desiredReplicas">;
}

/** Checks the status of any version. */
export const validateStatus = ({ status }: WithStatus, _old: WithStatus, environment: Environment): FieldErrors =>
  // Other fields of the status are not checked, so the versions do not differ.
  checkCounts(status as HorizontalPodAutoscalerStatus | undefined, "status", environment);
