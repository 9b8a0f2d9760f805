/** The claims that a pod's own volumes need. */

import { PersistentVolumeClaim } from "../../api/core/v1/persistent-volume-claim.ts";
import type { Pod } from "../../api/core/v1/pod.ts";
import { keyOf } from "../../client/informer/keys.ts";
import { create, messageOf, type Plan } from "../plan.ts";

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
function isOf({ metadata }: PersistentVolumeClaim, pod: Pod): boolean {
  return (
    metadata.ownerReferences?.some(({ uid, controller }) => controller === true && uid === pod.metadata.uid) ?? false
  );
}

/** A claim of another owner is a failure, after the missing ones were created. `claimOf`: as the cache has it. */
export function planVolumes(pod: Pod, claimOf: (key: string) => PersistentVolumeClaim | undefined): Plan | undefined {
  const missing = ownVolumes(pod).filter(({ claim }) => {
    const known = claimOf(keyOf(claim));
    return known === undefined || !isOf(known, pod);
  });
  const foreign = missing.find(({ claim }) => claimOf(keyOf(claim)) !== undefined);
  const refused = (volume: string) => (error: unknown) =>
    ({ type: "Warning", reason: "FailedBinding", message: `ephemeral volume ${volume}: ${messageOf(error)}` }) as const;
  const writes = missing
    .filter((each) => each !== foreign)
    // Just created, or terminating with its namespace: the next change shows which.
    .map(({ volume, claim }) =>
      create(PersistentVolumeClaim, claim, {
        refused: refused(volume),
        tolerates: ["AlreadyExists", "NamespaceTerminating"],
      }),
    );
  if (foreign === undefined) return { about: pod, writes };
  const { volume, claim } = foreign;
  const text = `PVC "${claim.metadata.name}" was not created for pod "${keyOf(pod)}" (pod is not owner)`;
  return { about: pod, writes, events: [refused(volume)(new Error(text))], failure: new Error(text) };
}
