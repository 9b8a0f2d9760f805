/** Every API group of the product, one line each, in the order in which discovery lists them. */

import type { NeutralGroup } from "./vocabulary.ts";

interface ApiGroup {
  readonly group: NeutralGroup;
  /** Best first; the first is the one that clients prefer. */
  readonly versions: readonly string[];
  /** How strongly the API service of a version is preferred over others. Absent: the group has no API services. */
  readonly priorities?: { readonly group: number; readonly versions: Readonly<Record<string, number>> };
}

/** `versions` with the priority of each, in the order of discovery. */
const served = (group: string, priority: number, versions: Readonly<Record<string, number>>): ApiGroup => ({
  group,
  versions: Object.keys(versions),
  priorities: { group: priority, versions },
});

/** Groups that arrive at run time come after these, by name. */
export const apiGroups: readonly ApiGroup[] = [
  served("", 18_000, { v1: 1 }),
  { group: "apiregistration.orch.io", versions: ["v1", "v1beta1"] },
  served("apps", 17_800, { v1: 15 }),
  served("events.orch.io", 17_750, { v1: 15, v1beta1: 5 }),
  served("authentication.orch.io", 17_700, { v1: 15, v1beta1: 9, v1alpha1: 1 }),
  served("authorization.orch.io", 17_600, { v1: 15, v1beta1: 9 }),
  // Not the newest first: of the two betas the older stays in front.
  served("autoscaling", 17_500, { v2: 30, v1: 15, v2beta1: 9, v2beta2: 1 }),
  served("batch", 17_400, { v1: 15, v1beta1: 9 }),
  served("certificates.orch.io", 17_300, { v1: 15, v1beta1: 9, v1alpha1: 1 }),
  served("networking.orch.io", 17_200, { v1: 15, v1beta1: 9, v1alpha1: 1 }),
  served("extensions", 17_150, { v1beta1: 1 }),
  served("policy", 17_100, { v1: 15, v1beta1: 9 }),
  served("rbac.authorization.orch.io", 17_000, { v1: 15, v1beta1: 12, v1alpha1: 9 }),
  served("storage.orch.io", 16_800, { v1: 15, v1beta1: 9, v1alpha1: 1 }),
  served("admissionregistration.orch.io", 16_700, { v1: 15, v1beta1: 12, v1alpha1: 9 }),
  served("apiextensions.orch.io", 16_700, { v1: 15, v1beta1: 9 }),
  served("scheduling.orch.io", 16_600, { v1: 15, v1beta1: 12, v1alpha1: 9 }),
  served("coordination.orch.io", 16_500, { v1: 15, v1beta1: 9 }),
  served("node.orch.io", 16_300, { v1: 15, v1beta1: 9, v1alpha1: 1 }),
  served("discovery.orch.io", 16_200, { v1: 15, v1beta1: 12 }),
  served("resource.orch.io", 16_200, { v1: 21 }),
  served("flowcontrol.apiserver.orch.io", 16_100, { v1: 21, v1beta3: 18, v1beta2: 15, v1beta1: 12 }),
  served("internal.apiserver.orch.io", 16_000, { v1alpha1: 9 }),
  served("storagemigration.orch.io", 15_800, { v1: 15, v1beta1: 9 }),
];
