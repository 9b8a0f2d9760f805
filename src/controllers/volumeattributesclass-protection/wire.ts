/** volumeattributesclass-protection: a class of attributes that a claim or a volume names stays until none does. */

import { PersistentVolume } from "../../api/core/v1/persistent-volume.ts";
import { PersistentVolumeClaim } from "../../api/core/v1/persistent-volume-claim.ts";
import { VolumeAttributesClass } from "../../api/storage/v1/volume-attributes-class.ts";
import type { Controller } from "../contract.ts";
import { protectionOf } from "../parts/protection/protection.ts";

export const volumeAttributesClassProtection: Controller = {
  name: "volumeattributesclass-protection",
  since: "1.32",
  account: "volumeattributesclass-protection-controller",
  start(context) {
    if (!context.has("attributeClasses")) return undefined;
    const classes = context.informers.of(VolumeAttributesClass);
    const claims = context.informers.of(PersistentVolumeClaim);
    const volumes = context.informers.of(PersistentVolume);
    const byClaims = claims.index("attributes", classesOfClaim);
    const byVolumes = volumes.index("attributes", classesOfVolume);
    const queue = protectionOf(context, VolumeAttributesClass, classes, {
      finalizer: context.vocabulary.word("orch.io/vac-protection"),
      isUsed({ metadata: { name = "" } }) {
        return byClaims.get(name).length > 0 || byVolumes.get(name).length > 0;
      },
      after: [claims, volumes],
    });
    const enqueue = (names: readonly string[]) => {
      for (const name of names) queue.add(name);
    };
    claims.on({
      update: (_, old) => enqueue(classesOfClaim(old)),
      delete: (claim) => enqueue(classesOfClaim(claim)),
    });
    volumes.on({
      update: (_, old) => enqueue(classesOfVolume(old)),
      delete: (volume) => enqueue(classesOfVolume(volume)),
    });
    return queue;
  },
};

/** What it asks for, what it has, and what it is being changed to. */
function classesOfClaim({ spec, status }: PersistentVolumeClaim): string[] {
  const named = [
    spec?.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ];
  return [...new Set(named.flatMap((name) => name || []))];
}

const classesOfVolume = ({ spec }: PersistentVolume): string[] =>
  spec?.volumeAttributesClassName ? [spec.volumeAttributesClassName] : [];
