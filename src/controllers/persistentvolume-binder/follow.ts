/** Which claims and volumes the changes of others concern. */

import type { PersistentVolume } from "../../api/core/v1/persistent-volume.ts";
import type { PersistentVolumeClaim } from "../../api/core/v1/persistent-volume-claim.ts";
import type { WorkQueue } from "../../base/queue/contract.ts";
import type { Informer } from "../../client/informer/contract.ts";
import { keyOf } from "../../client/informer/keys.ts";

interface BinderInformers {
  readonly volumes: Informer<PersistentVolume>;
  readonly claims: Informer<PersistentVolumeClaim>;
  /** Claims that are not bound. */
  readonly waiting: () => readonly PersistentVolumeClaim[];
}

export const claimKey = (key: string): string => `claim ${key}`;
export const volumeKey = (key: string): string => `volume ${key}`;

/** Returns what enqueues all claims that wait for a volume. */
export function followVolumes({ volumes, claims, waiting }: BinderInformers, queue: WorkQueue): () => void {
  const enqueueWaiting = () => {
    for (const claim of waiting()) queue.add(claimKey(keyOf(claim)));
  };
  const enqueueVolume = (volume: PersistentVolume) => {
    queue.add(volumeKey(keyOf(volume)));
    if (volume.status?.phase === "Available") enqueueWaiting();
  };
  const enqueueClaim = (claim: PersistentVolumeClaim) => queue.add(claimKey(keyOf(claim)));
  volumes.on({
    add: enqueueVolume,
    update: enqueueVolume,
    delete({ spec }) {
      if (spec?.claimRef) queue.add(claimKey(`${spec.claimRef.namespace ?? ""}/${spec.claimRef.name ?? ""}`));
    },
  });
  claims.on({
    add: enqueueClaim,
    update: enqueueClaim,
    delete({ spec }) {
      if (spec?.volumeName) queue.add(volumeKey(spec.volumeName));
    },
  });
  return enqueueWaiting;
}
