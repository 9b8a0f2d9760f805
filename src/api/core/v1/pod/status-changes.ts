/** What a write of the status of a pod keeps of the old one, at later levels. */

import type { Environment } from "../../../../machinery/schema/environment.ts";
import { has } from "../../../features.ts";
import type { PodStatus } from "./status.ts";

/** Old agents leave out what they do not know. */
export function keptStatus(status: PodStatus, before: PodStatus, environment: Environment): PodStatus {
  if (!has(environment, "keptPodStatus")) return status;
  const next: PodStatus = { ...status };
  if (has(environment, "keptQosClass") && !next.qosClass && before.qosClass) next.qosClass = before.qosClass;
  if (!next.observedGeneration && before.observedGeneration) next.observedGeneration = before.observedGeneration;
  if (next.conditions) next.conditions = withGenerations(next.conditions, before.conditions ?? []);
  return next;
}

/** A condition that there was keeps its generation where none is given. */
function withGenerations(
  conditions: NonNullable<PodStatus["conditions"]>,
  before: NonNullable<PodStatus["conditions"]>,
): NonNullable<PodStatus["conditions"]> {
  const known = new Map(before.map(({ type, observedGeneration }) => [type, observedGeneration]));
  return conditions.map((condition) => {
    const observedGeneration = known.get(condition.type);
    return condition.observedGeneration || !observedGeneration ? condition : { ...condition, observedGeneration };
  });
}
