/** Checks of persistent volumes. */

import { posix } from "node:path";
import { pick } from "../../../../machinery/schema/build.ts";
import { checker, on, onlyOne, type Relation } from "../../../../machinery/schema/constraints.ts";
import type { ObjectMeta } from "../../../../machinery/schema/object-meta.ts";
import { forbid, need } from "../../../../machinery/schema/relations.ts";
import { sameValue } from "../../../../machinery/schema/same-value.ts";
import type { Environment, Field } from "../../../../machinery/schema/schema.ts";
import type { FieldError } from "../../../../machinery/status/field-error.ts";
import { type FieldErrors, forbidden, invalid, noErrors } from "../../../../machinery/status/field-error.ts";
import { immutable } from "../../../validation.ts";
import { schedulingRelations } from "../pod/validate-scheduling.ts";
import { stableLabels } from "../stable-labels.ts";
import { validateAccessModes } from "./persistent-volume-claim-spec.ts";
import { PersistentVolumeSpec } from "./persistent-volume-spec.ts";
import { sourceRelations } from "./validate-sources.ts";

const iscsiNameCharsMax = 64;

/** In the order of the checks: of several the first is used. */
const sources = [
  "hostPath",
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "glusterfs",
  "flocker",
  "nfs",
  "rbd",
  "quobyte",
  "cephfs",
  "iscsi",
  "cinder",
  "fc",
  "flexVolume",
  "azureFile",
  "vsphereVolume",
  "photonPersistentDisk",
  "portworxVolume",
  "azureDisk",
  "scaleIO",
  "local",
  "storageos",
  "csi",
] as const satisfies readonly (keyof PersistentVolumeSpec)[];

/** Those that are mounted with options; the field for them is not checked. */
const mountedWithOptions = [
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "glusterfs",
  "nfs",
  "rbd",
  "quobyte",
  "iscsi",
  "cinder",
  "cephfs",
  "azureFile",
  "vsphereVolume",
  "azureDisk",
  "photonPersistentDisk",
] as const satisfies readonly (typeof sources)[number][];

interface VolumeLike {
  readonly metadata: ObjectMeta;
  readonly spec?: PersistentVolumeSpec;
}

/** What v1.21 calls a source that is one too many. A flexVolume is checked in addition to any other, without such an error. */
const surplusNames: Readonly<Record<string, string>> = { cephfs: "cephFS", flexVolume: "" };
const oneSource = {
  members: sources.map((source) => [source, surplusNames[source] ?? source] as const),
  missing: "must specify a volume type",
  surplus: "may not specify more than 1 volume type",
};

const isLocal = (spec: PersistentVolumeSpec): boolean =>
  sources.find((source) => spec[source] !== undefined) === "local";
const relationsOf = (spec: Field<PersistentVolumeSpec>): readonly Relation[] => [
  ...sourceRelations,
  ...schedulingRelations,
  onlyOne(spec, oneSource),
  need(spec, "nodeAffinity", "a local volume is on one node only", isLocal),
];

export const volumeRelations: readonly Relation[] = [
  ...relationsOf(PersistentVolumeSpec),
  on(PersistentVolumeSpec, ({ persistentVolumeReclaimPolicy, hostPath }) =>
    persistentVolumeReclaimPolicy === "Recycle" && hostPath && /^\/+$/.test(posix.normalize(hostPath.path))
      ? [forbidden("persistentVolumeReclaimPolicy", "may not be 'Recycle' for the root of a host")]
      : noErrors,
  ),
  on(PersistentVolumeSpec, validateAccessModes, { since: "1.22" }),
  need(
    PersistentVolumeSpec,
    "csi",
    "must be specified together with volumeAttributesClassName",
    ({ volumeAttributesClassName }) => Boolean(volumeAttributesClassName),
    { since: "1.29" },
  ),
];

export const validateVolume = ({ metadata, spec = {} }: VolumeLike, environment: Environment): FieldErrors => [
  ...validateInitiator(spec.iscsi, metadata.name ?? "", "spec.iscsi.targetportal"),
  ...validateMountOptions(metadata, spec, environment),
];

/** v1.21 checks only these fields of an inline spec. */
const InlineSpec = pick(PersistentVolumeSpec, ["accessModes", ...sources]);
const notInline = "may not be specified in the context of inline volumes";
const always = () => true;

/** The inline spec of an attachment: only what the driver needs. */
export const checkInlineVolumeSpec = checker(InlineSpec, [
  ...relationsOf(InlineSpec),
  forbid(InlineSpec, "claimRef", notInline, always),
  forbid(InlineSpec, "capacity", notInline, ({ capacity = {} }) => Object.keys(capacity).length > 0),
  need(InlineSpec, "csi", "has to be specified in the context of inline volumes", always),
  forbid(
    InlineSpec,
    "persistentVolumeReclaimPolicy",
    notInline,
    ({ persistentVolumeReclaimPolicy: policy }) => policy !== "Retain",
  ),
  forbid(InlineSpec, "nodeAffinity", notInline, always),
  forbid(InlineSpec, "storageClassName", notInline, always),
  on(InlineSpec, ({ volumeMode = "Filesystem" }) =>
    volumeMode === "Filesystem" ? noErrors : [forbidden("volumeMode", notInline)],
  ),
]);

export function validateVolumeUpdate(
  volume: VolumeLike,
  { spec: old = {} }: VolumeLike,
  environment: Environment,
): FieldError[] {
  const { spec = {} } = volume;
  const errors = [...validateVolume(volume, environment)];
  if (!sources.every((source) => sameValue(comparable(spec, old)[source], old[source]))) {
    errors.push(forbidden("spec.persistentvolumesource", "is immutable after creation"));
  }
  errors.push(...immutable("volumeMode", spec.volumeMode, old.volumeMode));
  if (old.nodeAffinity !== undefined) {
    const before = environment.since("1.26") ? withStableLabels(old.nodeAffinity, spec, environment) : old.nodeAffinity;
    errors.push(...immutable("nodeAffinity", spec.nodeAffinity, before));
  }
  if (old.volumeAttributesClassName !== undefined && spec.volumeAttributesClassName === undefined)
    errors.push(forbidden("spec.volumeAttributesClassName", "may not be removed"));
  return errors;
}

/** Labels that were beta may be replaced by the stable ones: the old affinity with the keys that the new one has. */
function withStableLabels(
  old: NonNullable<PersistentVolumeSpec["nodeAffinity"]>,
  { nodeAffinity }: PersistentVolumeSpec,
  { vocabulary }: Environment,
): PersistentVolumeSpec["nodeAffinity"] {
  const stable = new Map(stableLabels.map(([beta, label]) => [vocabulary.word(beta), vocabulary.word(label)]));
  const terms = old.required?.nodeSelectorTerms ?? [];
  const next = nodeAffinity?.required?.nodeSelectorTerms ?? [];
  return {
    required: {
      nodeSelectorTerms: terms.map((term, index) => ({
        ...term,
        matchExpressions: (term.matchExpressions ?? []).map((one, at) => {
          const key = stable.get(one.key);
          return key !== undefined && next[index]?.matchExpressions?.[at]?.key === key ? { ...one, key } : one;
        }),
      })),
    },
  };
}

/** The secret for expanding a volume may still be added. */
function comparable(spec: PersistentVolumeSpec, old: PersistentVolumeSpec): PersistentVolumeSpec {
  if (spec.csi === undefined || old.csi === undefined || old.csi.controllerExpandSecretRef !== undefined) return spec;
  const { controllerExpandSecretRef: _added, ...csi } = spec.csi;
  return { ...spec, csi };
}

/** The names of volume and portal become one, which has a limit. */
function validateInitiator(source: PersistentVolumeSpec["iscsi"], name: string, path: string): FieldError[] {
  if (source?.initiatorName === undefined) return [];
  return `${name}:${source.targetPortal}`.length > iscsiNameCharsMax
    ? [invalid(path, source.targetPortal, `must have, with the volume's name, at most ${iscsiNameCharsMax} characters`)]
    : [];
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
