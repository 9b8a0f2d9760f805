/** The groups and versions that a server itself serves, as API services: with the priority of each. */

import { apiGroups } from "../../vocabulary/api-groups.ts";
import type { NeutralGroup } from "../../vocabulary/vocabulary.ts";

/** Marks API services that the server creates at its start. */
export const automanagedLabel = "orch-aggregator.orch.io/automanaged";

interface LocalService {
  readonly group: NeutralGroup;
  readonly version: string;
  readonly groupPriorityMinimum: number;
  readonly versionPriority: number;
}

export const localServices: readonly LocalService[] = apiGroups.flatMap(({ group, priorities }) =>
  Object.entries(priorities?.versions ?? {}).map(([version, versionPriority]) => ({
    group,
    version,
    groupPriorityMinimum: priorities?.group ?? 0,
    versionPriority,
  })),
);
