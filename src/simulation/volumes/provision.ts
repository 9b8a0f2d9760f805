/** The provisioner of simulated nodes: a default class, a volume for each claim of it, and the end of volumes without a claim. */

import { PersistentVolume } from "../../api/core/v1/persistent-volume.ts";
import { PersistentVolumeClaim } from "../../api/core/v1/persistent-volume-claim.ts";
import { isDefaultClass, storageClassMarks } from "../../api/default-class.ts";
import { StorageClass } from "../../api/storage/v1/storage-class.ts";
import { keyOf } from "../../client/informer/keys.ts";
import type { ControllerContext } from "../../controllers/contract.ts";
import { create, type Plan, remove } from "../../controllers/plan.ts";
import { defaultClass, defaultClassName, isToDelete, volumeFor } from "./volumes.ts";

/** Keys of volumes have no namespace, those of claims have one, and this is the key of the class. */
const classKey = "class";

export function provisionVolumes(context: ControllerContext): void {
  const { informers, vocabulary } = context;
  const [claims, volumes] = [informers.of(PersistentVolumeClaim), informers.of(PersistentVolume)];
  const classes = informers.of(StorageClass);
  const queue = context.queue({
    name: "simulated-nodes-volumes",
    workers: 4,
    component: "simulated-nodes",
    after: [claims, volumes, classes],
    sync(key) {
      if (key === classKey) return syncClass();
      return key.includes("/") ? syncClaim(key) : syncVolume(key);
    },
  });

  /** A class of this name, or another that is the default, is somebody's choice. */
  function syncClass(): Plan | undefined {
    const isThere = classes
      .list()
      .some(
        (one) => one.metadata.name === defaultClassName || isDefaultClass(one.metadata, storageClassMarks, vocabulary),
      );
    return isThere
      ? undefined
      : { writes: [create(StorageClass, defaultClass(vocabulary), { tolerates: ["AlreadyExists"] })] };
  }

  function syncClaim(key: string): Plan | undefined {
    const claim = claims.get(key);
    const made = claim && volumeFor(claim, classes.get(claim.spec?.storageClassName ?? ""), vocabulary);
    if (claim === undefined || made === undefined || volumes.get(made.metadata.name ?? "") !== undefined)
      return undefined;
    const message = `Successfully provisioned volume ${made.metadata.name}`;
    return {
      about: claim,
      writes: [create(PersistentVolume, made, { tolerates: ["AlreadyExists"] })],
      events: [{ type: "Normal", reason: "ProvisioningSucceeded", message }],
    };
  }

  function syncVolume(name: string): Plan | undefined {
    const volume = volumes.get(name);
    if (volume === undefined || !isToDelete(volume, vocabulary)) return undefined;
    const { uid } = volume.metadata;
    return { writes: [remove(PersistentVolume, { name }, uid === undefined ? {} : { uid })] };
  }

  const see = (object: PersistentVolumeClaim | PersistentVolume) => queue.add(keyOf(object));
  claims.on({ add: see, update: see });
  volumes.on({ add: see, update: see });
  classes.on({
    add({ metadata }) {
      for (const claim of claims.list()) if (claim.spec?.storageClassName === metadata.name) see(claim);
    },
  });
  queue.add(classKey);
}
