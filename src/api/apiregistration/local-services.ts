/** The groups and versions that a server itself serves, as API services: how strongly each is preferred. */

/** In orch's names. A version of a group that is missing here is served all the same; it just has no API service. */
const priorities: readonly (readonly [group: string, priority: number, versions: Readonly<Record<string, number>>])[] =
  [
    ["", 18_000, { v1: 1 }],
    ["apps", 17_800, { v1: 15 }],
    ["events.orch.io", 17_750, { v1: 15, v1beta1: 5 }],
    ["authentication.orch.io", 17_700, { v1: 15, v1beta1: 9 }],
    ["authorization.orch.io", 17_600, { v1: 15, v1beta1: 9 }],
    ["autoscaling", 17_500, { v1: 15, v2beta1: 9, v2beta2: 1 }],
    ["batch", 17_400, { v1: 15, v1beta1: 9 }],
    ["certificates.orch.io", 17_300, { v1: 15, v1beta1: 9 }],
    ["networking.orch.io", 17_200, { v1: 15, v1beta1: 9 }],
    ["extensions", 17_150, { v1beta1: 1 }],
    ["policy", 17_100, { v1: 15, v1beta1: 9 }],
    ["rbac.authorization.orch.io", 17_000, { v1: 15, v1beta1: 12 }],
    ["storage.orch.io", 16_800, { v1: 15, v1beta1: 9 }],
    ["apiextensions.orch.io", 16_700, { v1: 15, v1beta1: 9 }],
    ["admissionregistration.orch.io", 16_700, { v1: 15, v1beta1: 12 }],
    ["scheduling.orch.io", 16_600, { v1: 15, v1beta1: 12 }],
    ["coordination.orch.io", 16_500, { v1: 15, v1beta1: 9 }],
    ["node.orch.io", 16_300, { v1: 15, v1beta1: 9 }],
    ["discovery.orch.io", 16_200, { v1: 15, v1beta1: 12 }],
    ["flowcontrol.apiserver.orch.io", 16_100, { v1beta1: 12 }],
  ];

/** Marks API services that the server makes at its start. */
export const automanagedLabel = "orch-aggregator.orch.io/automanaged";

export interface LocalService {
  /** In orch's names. */
  readonly group: string;
  readonly version: string;
  readonly groupPriorityMinimum: number;
  readonly versionPriority: number;
}

export const localServices: readonly LocalService[] = priorities.flatMap(([group, priority, versions]) =>
  Object.entries(versions).map(([version, versionPriority]) => ({
    group,
    version,
    groupPriorityMinimum: priority,
    versionPriority,
  })),
);
