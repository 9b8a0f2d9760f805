/** Conditions of a Deployment: when they change, and when only their times do. */

import type { DeploymentCondition, DeploymentStatus } from "../../api/apps/v1/deployment.ts";
import { timeText } from "../../machinery/values/time.ts";

type ConditionType = "Available" | "Progressing" | "ReplicaFailure";

export const conditionOf = (
  status: DeploymentStatus | undefined,
  type: ConditionType,
): DeploymentCondition | undefined => status?.conditions?.find((condition) => condition.type === type);

export function newCondition(
  type: ConditionType,
  status: "True" | "False" | "Unknown",
  reason: string,
  message: string,
  nowMs: number,
): DeploymentCondition {
  const now = timeText(nowMs);
  return { type, status, reason, message, lastUpdateTime: now, lastTransitionTime: now };
}

/** A condition with the same status and reason is unchanged; a changed one moves to the end. */
export function withCondition(
  conditions: readonly DeploymentCondition[],
  condition: DeploymentCondition,
): DeploymentCondition[] {
  const current = conditions.find(({ type }) => type === condition.type);
  if (current?.status === condition.status && current.reason === condition.reason) return [...conditions];
  const kept = current?.status === condition.status ? { lastTransitionTime: current.lastTransitionTime ?? null } : {};
  return [...without(conditions, condition.type), { ...condition, ...kept }];
}

export const without = (conditions: readonly DeploymentCondition[], type: string): DeploymentCondition[] =>
  conditions.filter((condition) => condition.type !== type);
