/** Which generation of a definition its status was computed from: a feature of today's level that is off by default. */

import type { Environment } from "../../../machinery/schema/environment.ts";
import { has } from "../../features.ts";
import type { DefinitionStatus } from "../v1/definition-parts.ts";

export const tracksGeneration = (environment: Environment): boolean =>
  has(environment, "seenGenerations") && environment.gates.enabled("CRDObservedGenerationTracking");

/** The next state of a definition after a write of its status; while the feature is off, generations are not added to it. */
export function mergeDefinitionStatus(written: unknown, parent: DefinitionStates, environment: Environment): object {
  // The registry has decoded the body as a definition.
  const { metadata, status } = written as DefinitionStates & { metadata: object };
  const { status: before, ...rest } = parent;
  if (status === undefined) return { ...rest, metadata };
  const isKept = tracksGeneration(environment) || hasGeneration(before);
  return { ...rest, metadata, status: isKept ? status : withoutGeneration(status) };
}

interface DefinitionStates {
  readonly status?: DefinitionStatus;
}

const hasGeneration = (status: DefinitionStatus | undefined): boolean =>
  status?.observedGeneration !== undefined ||
  (status?.conditions ?? []).some(({ observedGeneration }) => observedGeneration !== undefined);

function withoutGeneration({ observedGeneration: _, conditions, ...status }: DefinitionStatus): DefinitionStatus {
  const bare = (conditions ?? []).map(({ observedGeneration: __, ...condition }) => condition);
  return { ...status, conditions: bare };
}

/** The status as computed from a generation. */
export function withGeneration(status: DefinitionStatus, generation: number): DefinitionStatus {
  const conditions = (status.conditions ?? []).map((condition) => ({ ...condition, observedGeneration: generation }));
  return { ...status, conditions, observedGeneration: generation };
}
