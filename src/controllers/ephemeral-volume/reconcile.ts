/** The claims that a pod's own volumes need. */

import type { PersistentVolumeClaim } from "../../api/core/v1/persistent-volume-claim.ts";
import type { Pod } from "../../api/core/v1/pod.ts";

interface OwnVolume {
  readonly volume: string;
  readonly claim: PersistentVolumeClaim;
}

export function ownVolumes({ metadata, spec }: Pod): readonly OwnVolume[] {
  if (metadata.deletionTimestamp) return [];
  return (spec?.volumes ?? []).flatMap(({ name, ephemeral }) => {
    const template = ephemeral?.volumeClaimTemplate;
    if (template === undefined) return [];
    const owner = { apiVersion: "v1", kind: "Pod", name: metadata.name ?? "", uid: metadata.uid ?? "" };
    const { labels, annotations } = template.metadata ?? {};
    const claim = {
      metadata: {
        namespace: metadata.namespace ?? "",
        name: `${metadata.name ?? ""}-${name}`,
        ...(labels ? { labels } : {}),
        ...(annotations ? { annotations } : {}),
        ownerReferences: [{ ...owner, controller: true, blockOwnerDeletion: true }],
      },
      spec: template.spec,
    };
    return [{ volume: name, claim }];
  });
}

/** A claim of that name with another owner must not be used: its data are not the pod's. */
export function isOf({ metadata }: PersistentVolumeClaim, pod: Pod): boolean {
  return (
    metadata.ownerReferences?.some(({ uid, controller }) => controller === true && uid === pod.metadata.uid) ?? false
  );
}
