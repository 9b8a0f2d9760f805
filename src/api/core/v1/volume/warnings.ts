/** What the authors of volumes and claims are told about their objects. Since 1.26. */

import type { ObjectMeta } from "../../../../machinery/schema/object-meta.ts";
import type { Environment } from "../../../../machinery/schema/schema.ts";
import { quantityOf } from "../../../../machinery/values/quantity.ts";
import type { NodeSelectorTerm } from "../pod/scheduling.ts";
import { stableLabels } from "../stable-labels.ts";
import type { PersistentVolumeClaimSpec } from "./persistent-volume-claim-spec.ts";
import type { PersistentVolumeSpec } from "./persistent-volume-spec.ts";
import { storageClassAnnotation } from "./storage-columns.ts";

interface VolumeLike {
  readonly metadata: ObjectMeta;
  readonly spec?: PersistentVolumeSpec;
}
interface ClaimLike {
  readonly spec?: PersistentVolumeClaimSpec;
}

/** Sources that no node serves any more, and since which release. */
const removedSources = {
  cephfs: "1.31",
  rbd: "1.31",
  glusterfs: "1.26",
  quobyte: "1.25",
  storageos: "1.25",
  flocker: "1.25",
  scaleIO: "1.22",
  photonPersistentDisk: "1.16",
} as const satisfies Partial<Record<keyof PersistentVolumeSpec, string>>;

export function removedSourceWarnings(source: object, path: string): string[] {
  return Object.entries(removedSources)
    .filter(([name]) => name in source)
    .map(([name, release]) => `${path}.${name}: nodes of v${release} and later do not serve such volumes`);
}

export function volumeWarnings({ metadata, spec = {} }: VolumeLike, _old: unknown, environment: Environment): string[] {
  if (!environment.since("1.26")) return [];
  const { vocabulary } = environment;
  const annotations = [
    [storageClassAnnotation, "the field storageClassName has replaced it"],
    ["volume.beta.orch.io/mount-options", "the field mountOptions has replaced it"],
  ].flatMap(([neutral = "", text]) => {
    const key = vocabulary.word(neutral);
    return metadata.annotations?.[key] === undefined ? [] : [`metadata.annotations[${key}]: ${text}`];
  });
  const terms = spec.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  return [
    ...annotations,
    ...(spec.persistentVolumeReclaimPolicy === "Recycle"
      ? ["spec.persistentVolumeReclaimPolicy: Recycle is deprecated; let volumes be provisioned when they are needed"]
      : []),
    ...removedSourceWarnings(spec, "spec"),
    ...terms.flatMap((term, index) =>
      termWarnings(term, `spec.nodeAffinity.required.nodeSelectorTerms[${index}]`, environment),
    ),
    ...fractionWarnings(spec.capacity, "spec.capacity", ["storage"]),
  ];
}

export function claimWarnings({ spec }: ClaimLike, _old: unknown, environment: Environment): string[] {
  return environment.since("1.26") && spec !== undefined ? claimSpecWarnings(spec, "spec") : [];
}

export const claimSpecWarnings = ({ resources }: PersistentVolumeClaimSpec, path: string): string[] => [
  ...fractionWarnings(resources?.requests, `${path}.resources.requests`, ["storage"]),
  ...fractionWarnings(resources?.limits, `${path}.resources.limits`, ["storage"]),
];

/** Keys of labels that have stable names today. */
export function labelWarning(key: string, path: string, { vocabulary }: Environment): string[] {
  return stableLabels
    .filter(([beta]) => vocabulary.word(beta) === key)
    .map(([, label, release]) => `${path}: since v${release} the label is called "${vocabulary.word(label)}"`);
}

export const termWarnings = (term: NodeSelectorTerm, path: string, environment: Environment): string[] =>
  (term.matchExpressions ?? []).flatMap(({ key }, index) =>
    labelWarning(key, `${path}.matchExpressions[${index}].key`, environment),
  );

const whole = 1_000_000_000n;

/** Bytes come whole. */
export function fractionWarnings(
  amounts: Readonly<Record<string, string>> | undefined,
  path: string,
  names: readonly string[],
): string[] {
  return names.flatMap((name) => {
    const amount = amounts?.[name];
    return amount === undefined || quantityOf(amount).nano % whole === 0n
      ? []
      : [`${path}[${name}]: "${amount}" has a fraction of a byte, which is not valid`];
  });
}
