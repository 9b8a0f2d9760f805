/** Claims, volumes and storage classes as informers know them. */

import { PersistentVolume } from "../api/core/v1/persistent-volume.ts";
import { PersistentVolumeClaim } from "../api/core/v1/persistent-volume-claim.ts";
import { StorageClass } from "../api/storage/v1/storage-class.ts";
import type { ControllerContext } from "../controllers/contract.ts";
import type { Storage } from "./claims.ts";

export function followStorage(informers: ControllerContext["informers"]) {
  const claims = informers.of(PersistentVolumeClaim);
  const volumes = informers.of(PersistentVolume);
  const classes = informers.of(StorageClass);
  const known: Storage = {
    claim: (namespace, name) => claims.get(`${namespace}/${name}`),
    volume: (name) => volumes.get(name),
    storageClass: (name) => classes.get(name),
  };
  return { known, informers: [claims, volumes, classes] };
}
