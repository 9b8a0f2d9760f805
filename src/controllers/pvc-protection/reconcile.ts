/** Which claims a pod uses. */

import type { Pod } from "../../api/core/v1/pod.ts";

/** By key. A pod that is not on a node uses none: a node agent does not start it with a claim that is on its way out. */
export function claimsOf({ metadata, spec }: Pod): readonly string[] {
  if (!spec?.nodeName) return [];
  return (spec.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim) return [`${metadata.namespace ?? ""}/${persistentVolumeClaim.claimName}`];
    return ephemeral ? [`${metadata.namespace ?? ""}/${metadata.name ?? ""}-${name}`] : [];
  });
}
