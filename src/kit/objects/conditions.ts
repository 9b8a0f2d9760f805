/** Conditions: what a controller says about an object, in the form that all kinds share. */

import { timeText } from "../../machinery/values/time.ts";

/**
 * What is so about an object, or is not.
 * @example
 * const ready: Condition = { type: "Ready", status: "True", reason: "Done", message: "", lastTransitionTime: "2026-01-01T00:00:00Z" };
 */
export interface Condition {
  type: string;
  status: "True" | "False" | "Unknown";
  /** One word in CamelCase. */
  reason: string;
  message: string;
  /** When the status changed last. */
  lastTransitionTime: string;
  /** The generation of the object that the condition is about. */
  observedGeneration?: number;
}

/**
 * The condition of a type; undefined: there is none.
 * @example
 * if (conditionOf(site.status?.conditions, "Ready")?.status === "True") return;
 */
export function conditionOf<C extends { type: string }>(
  conditions: readonly C[] | undefined,
  type: string,
): C | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/**
 * The list with this condition in place of the one of the same type. The time of the last transition stays while the status does; the
 * same condition again gives an equal list, so that a status need not be written.
 * @example
 * const conditions = withCondition(site.status?.conditions, { type: "Ready", status: "True", reason: "Done", message: "" });
 */
export function withCondition(
  conditions: readonly Condition[] | undefined,
  next: Omit<Condition, "lastTransitionTime">,
  nowMs: number = Date.now(),
): Condition[] {
  const before = conditionOf(conditions, next.type);
  const lastTransitionTime = before?.status === next.status ? before.lastTransitionTime : timeText(nowMs);
  const made = { ...next, lastTransitionTime };
  if (before === undefined) return [...(conditions ?? []), made];
  return (conditions ?? []).map((each) => (each === before ? made : each));
}
