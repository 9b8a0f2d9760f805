/** Checks of persistent volumes. */

import { posix } from "node:path";
import { on, onlyOne, type Relation } from "../../../../machinery/schema/constraints.ts";
import type { Environment } from "../../../../machinery/schema/environment.ts";
import type { ObjectMeta } from "../../../../machinery/schema/object-meta.ts";
import { need } from "../../../../machinery/schema/relations.ts";
import { sameValue } from "../../../../machinery/schema/same-value.ts";
import type { Field } from "../../../../machinery/schema/schema.ts";
import type { FieldError } from "../../../../machinery/status/field-error.ts";
import { type FieldErrors, forbidden, invalid, noErrors } from "../../../../machinery/status/field-error.ts";
import { has } from "../../../features.ts";
import { immutable } from "../../../validation.ts";
import { schedulingRelations } from "../pod/validate-scheduling.ts";
import { PersistentVolumeSpec } from "./persistent-volume-spec.ts";
import { hasLongInitiator, initiatorCharsMax } from "./source-rules.ts";
import { sourceRelations } from "./validate-sources.ts";
import { withoutAddedSecret, withStableLabels } from "./volume-changes.ts";
import { mountedWithOptions, onePersistentSource, persistentSources } from "./volume-source-names.ts";

interface VolumeLike {
  readonly metadata: ObjectMeta;
  readonly spec?: PersistentVolumeSpec;
}

const isLocal = (spec: PersistentVolumeSpec): boolean =>
  persistentSources.find((source) => spec[source] !== undefined) === "local";
export const relationsOfVolume = (spec: Field<PersistentVolumeSpec>): readonly Relation[] => [
  ...sourceRelations,
  ...schedulingRelations,
  onlyOne(spec, onePersistentSource),
  need(spec, "nodeAffinity", "a local volume is on one node only", isLocal),
];

export const volumeRelations: readonly Relation[] = [
  ...relationsOfVolume(PersistentVolumeSpec),
  on(PersistentVolumeSpec, ({ persistentVolumeReclaimPolicy, hostPath }) =>
    persistentVolumeReclaimPolicy === "Recycle" && hostPath && /^\/+$/.test(posix.normalize(hostPath.path))
      ? [forbidden("persistentVolumeReclaimPolicy", "may not be 'Recycle' for the root of a host")]
      : noErrors,
  ),
  need(
    PersistentVolumeSpec,
    "csi",
    "must be specified together with volumeAttributesClassName",
    ({ volumeAttributesClassName }) => Boolean(volumeAttributesClassName),
    { since: "1.29" },
  ),
];

const longInitiator = `must have, with the volume's name, at most ${initiatorCharsMax} characters`;

export const validateVolume = ({ metadata, spec = {} }: VolumeLike, environment: Environment): FieldErrors => [
  ...(hasLongInitiator(spec.iscsi, metadata.name ?? "")
    ? [invalid("spec.iscsi.targetportal", spec.iscsi?.targetPortal, longInitiator)]
    : noErrors),
  ...validateMountOptions(metadata, spec, environment),
];

export function validateVolumeUpdate(
  volume: VolumeLike,
  { spec: old = {} }: VolumeLike,
  environment: Environment,
): FieldError[] {
  const { spec = {} } = volume;
  const errors = [...validateVolume(volume, environment)];
  if (!persistentSources.every((source) => sameValue(withoutAddedSecret(spec, old)[source], old[source]))) {
    errors.push(forbidden("spec.persistentvolumesource", "is immutable after creation"));
  }
  errors.push(...immutable("volumeMode", spec.volumeMode, old.volumeMode));
  if (old.nodeAffinity !== undefined) {
    const before = has(environment, "stableNodeLabels")
      ? withStableLabels(old.nodeAffinity, spec, environment)
      : old.nodeAffinity;
    errors.push(...immutable("nodeAffinity", spec.nodeAffinity, before));
  }
  if (old.volumeAttributesClassName !== undefined && spec.volumeAttributesClassName === undefined)
    errors.push(forbidden("spec.volumeAttributesClassName", "may not be removed"));
  return errors;
}

/** Mount options in the annotation that is older than the field. */
function validateMountOptions(
  { annotations }: ObjectMeta,
  spec: PersistentVolumeSpec,
  { vocabulary }: Environment,
): FieldError[] {
  const key = vocabulary.word("volume.beta.orch.io/mount-options");
  if (annotations?.[key] === undefined || mountedWithOptions.some((source) => spec[source] !== undefined)) return [];
  return [forbidden(`metadata.annotations.${key}`, "may not specify mount options for this volume type")];
}
