/** How the ResourceClaims of a pod are called. */

import type { Pod } from "../../../api/core/v1/pod.ts";

export type PodClaim = NonNullable<NonNullable<Pod["spec"]>["resourceClaims"]>[number];

/** Null: the pod needs none. Undefined: it is not made yet. */
export function claimNameOf({ status }: Pod, { name, resourceClaimName, resourceClaimTemplateName }: PodClaim) {
  if (!resourceClaimTemplateName) return resourceClaimName ?? null;
  const known = status?.resourceClaimStatuses?.find((each) => each.name === name);
  return known && (known.resourceClaimName ?? null);
}
