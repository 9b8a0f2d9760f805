/** What a write of the status of a pod keeps of the old one, and what it drops, at later levels. */

import type { Environment } from "../../../../machinery/schema/schema.ts";
import type { ContainerStatus, PodStatus } from "./status.ts";

/** Old agents leave out what they do not know; features that are off are not stored, unless they are in use. */
export function keptStatus(status: PodStatus, before: PodStatus, environment: Environment): PodStatus {
  if (!environment.since("1.22")) return status;
  const { gates } = environment;
  const next: PodStatus = { ...status };
  if (!next.qosClass && before.qosClass) next.qosClass = before.qosClass;
  if (!next.observedGeneration && before.observedGeneration) next.observedGeneration = before.observedGeneration;
  if (next.conditions) next.conditions = withGenerations(next.conditions, before.conditions ?? []);
  if (!gates.enabled("DRAExtendedResource") && !before.extendedResourceClaimStatus) {
    delete next.extendedResourceClaimStatus;
  }
  if (!gates.enabled("InPlacePodLevelResourcesVerticalScaling")) {
    if (!before.resources) delete next.resources;
    if (!before.allocatedResources) delete next.allocatedResources;
  }
  if (!gates.enabled("ResourceHealthStatus")) {
    for (const kind of ["containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"] as const) {
      const isUsed = before[kind]?.some(({ allocatedResourcesStatus }) => allocatedResourcesStatus);
      if (next[kind] && !isUsed) next[kind] = next[kind].map(withoutHealth);
    }
  }
  return next;
}

function withoutHealth(status: ContainerStatus): ContainerStatus {
  const { allocatedResourcesStatus: _dropped, ...rest } = status;
  return rest;
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
