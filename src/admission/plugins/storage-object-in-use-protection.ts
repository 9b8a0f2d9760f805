/** Protects volumes and claims from removal while they are in use: with a finalizer that only their controller removes. */

import { PersistentVolume } from "../../api/core/v1/persistent-volume.ts";
import { PersistentVolumeClaim } from "../../api/core/v1/persistent-volume-claim.ts";
import { VolumeAttributesClass } from "../../api/storage/v1/volume-attributes-class.ts";
import type { ObjectMeta } from "../../machinery/schema/object-meta.ts";
import type { AdmissionContext } from "../context.ts";
import type { AdmissionPlugin } from "../contract.ts";
import { on, plugin } from "../on.ts";

export function createStorageObjectInUseProtection(context: AdmissionContext): AdmissionPlugin {
  const { word } = context.catalog.environment.vocabulary;
  const ofVolumes = word("orch.io/pv-protection");
  const ofClaims = word("orch.io/pvc-protection");
  const ofClasses = word("orch.io/vac-protection");
  return plugin("StorageObjectInUseProtection", [
    on(PersistentVolume, "CREATE", { mutate: ({ object }) => protect(object.metadata, ofVolumes) }),
    on(PersistentVolumeClaim, "CREATE", { mutate: ({ object }) => protect(object.metadata, ofClaims) }),
    on(VolumeAttributesClass, "CREATE", { mutate: ({ object }) => protect(object.metadata, ofClasses) }),
  ]);
}

function protect(metadata: ObjectMeta, finalizer: string): void {
  const own = metadata.finalizers ?? [];
  if (!own.includes(finalizer)) metadata.finalizers = [...own, finalizer];
}
