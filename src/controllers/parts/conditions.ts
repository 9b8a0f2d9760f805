/** Conditions of a status: each type once, in the order in which they first appeared. */

import { timeText } from "../../machinery/values/time.ts";

interface ConditionFields {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime?: string | null;
}

/** The conditions with this one; its time changes with its status alone. */
export function withCondition<C extends ConditionFields>(
  conditions: readonly C[],
  facts: Omit<C, "lastTransitionTime"> & Pick<C, "type" | "status">,
  nowMs: number,
): C[] {
  const known = conditions.find(({ type }) => type === facts.type);
  const since = known?.status === facts.status ? known.lastTransitionTime : undefined;
  const next = { ...facts, lastTransitionTime: since ?? timeText(nowMs) } as C; // the facts are all other fields
  return known === undefined ? [...conditions, next] : conditions.map((each) => (each === known ? next : each));
}
