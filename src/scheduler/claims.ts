/** What the claims of a pod mean for its node: a problem, or the nodes that the volumes can be used on. */

import type { PersistentVolume } from "../api/core/v1/persistent-volume.ts";
import type { PersistentVolumeClaim } from "../api/core/v1/persistent-volume-claim.ts";
import type { Pod } from "../api/core/v1/pod.ts";
import type { StorageClass } from "../api/storage/v1/storage-class.ts";
import type { PodFacts } from "./filters/filter.ts";

export interface Storage {
  claim(namespace: string, name: string): PersistentVolumeClaim | undefined;
  volume(name: string): PersistentVolume | undefined;
  storageClass(name: string): StorageClass | undefined;
}

export interface ClaimFacts extends PodFacts {
  /** Why the pod fits nowhere. Undefined: nothing is wrong. */
  readonly problem: string | undefined;
  /** Claims whose volumes are made once a node is chosen. */
  readonly waiting: readonly PersistentVolumeClaim[];
}

export function claimFacts({ metadata, spec }: Pod, storage: Storage): ClaimFacts {
  const namespace = metadata.namespace ?? "";
  const volumes: NonNullable<PodFacts["volumes"][number]>[] = [];
  const waiting: PersistentVolumeClaim[] = [];
  for (const volume of spec?.volumes ?? []) {
    const name =
      volume.persistentVolumeClaim?.claimName ?? (volume.ephemeral && `${metadata.name ?? ""}-${volume.name}`);
    if (name === undefined) continue;
    const claim = storage.claim(namespace, name);
    if (claim === undefined) return { problem: `persistentvolumeclaim "${name}" not found`, volumes: [], waiting: [] };
    const bound = claim.spec?.volumeName ?? "";
    if (bound === "") {
      const mode = storage.storageClass(claim.spec?.storageClassName ?? "")?.volumeBindingMode;
      if (mode !== "WaitForFirstConsumer")
        return { problem: "pod has unbound immediate PersistentVolumeClaims", volumes: [], waiting: [] };
      waiting.push(claim);
      continue;
    }
    const required = storage.volume(bound)?.spec?.nodeAffinity?.required;
    if (required != null) volumes.push(required);
  }
  return { problem: undefined, volumes, waiting };
}
