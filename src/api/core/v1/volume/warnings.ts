/** What the authors of volumes and claims are told about their objects. Since 1.26. */

import type { Environment } from "../../../../machinery/schema/environment.ts";
import type { ObjectMeta } from "../../../../machinery/schema/object-meta.ts";
import { quantityOf } from "../../../../machinery/values/quantity.ts";
import { has } from "../../../features.ts";
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
  readonly metadata: ObjectMeta;
  readonly spec?: PersistentVolumeClaimSpec;
}

/** Sources that no node serves any more: since which release they are deprecated, and since which they do not work. */
const removedSources = {
  cephfs: ["1.28", "1.31"],
  rbd: ["1.28", "1.31"],
  glusterfs: ["1.25", "1.26"],
  quobyte: ["1.22", "1.25"],
  storageos: ["1.22", "1.25", "storageOS"],
  flocker: ["1.22", "1.25"],
  scaleIO: ["1.16", "1.22"],
  photonPersistentDisk: ["1.11", "1.16"],
} as const satisfies Partial<
  Record<keyof PersistentVolumeSpec, readonly [deprecated: string, removed: string, shownAs?: string]>
>;

export function removedSourceWarnings(source: object, path: string, { since }: Environment): string[] {
  return Object.entries(removedSources)
    .filter(([name, [deprecated]]) => name in source && since(deprecated))
    .map(
      ([name, [deprecated, removed, shown = name]]) =>
        `${path}.${shown}: deprecated in v${deprecated}, non-functional in v${removed}+`,
    );
}

/** An annotation that a field has replaced, and since when. */
interface OldAnnotation {
  readonly name: string;
  readonly release: string;
  readonly field: string;
}
const classAnnotation: OldAnnotation = { name: storageClassAnnotation, release: "1.8", field: "storageClassName" };
const mountAnnotation: OldAnnotation = {
  name: "volume.beta.orch.io/mount-options",
  release: "1.31",
  field: "mountOptions",
};

const annotationWarnings = (
  { annotations = {} }: ObjectMeta,
  known: readonly OldAnnotation[],
  { vocabulary }: Environment,
): string[] =>
  known.flatMap(({ name, release, field }) => {
    const key = vocabulary.word(name);
    if (!Object.hasOwn(annotations, key)) return [];
    return [`metadata.annotations[${key}]: deprecated since v${release}; use "${field}" attribute instead`];
  });

export function volumeWarnings({ metadata, spec = {} }: VolumeLike, _old: unknown, environment: Environment): string[] {
  if (!has(environment, "storageWarnings")) return [];
  const terms = spec.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  return [
    ...annotationWarnings(metadata, [classAnnotation, mountAnnotation], environment),
    ...(spec.persistentVolumeReclaimPolicy === "Recycle"
      ? [
          "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.",
        ]
      : []),
    ...removedSourceWarnings(spec, "spec", environment),
    ...terms.flatMap((term, index) =>
      termWarnings(term, `spec.nodeAffinity.required.nodeSelectorTerms[${index}]`, environment),
    ),
    ...fractionWarnings(spec.capacity, "spec.capacity", ["storage"]),
  ];
}

export function claimWarnings({ metadata, spec }: ClaimLike, _old: unknown, environment: Environment): string[] {
  if (!has(environment, "storageWarnings")) return [];
  return [
    ...annotationWarnings(metadata, [classAnnotation], environment),
    ...(spec === undefined ? [] : claimSpecWarnings(spec, "spec")),
  ];
}

export const claimSpecWarnings = ({ resources }: PersistentVolumeClaimSpec, path: string): string[] => [
  ...fractionWarnings(resources?.requests, `${path}.resources.requests`, ["storage"]),
  ...fractionWarnings(resources?.limits, `${path}.resources.limits`, ["storage"]),
];

/** Keys of labels that have stable names today. `named`: how the text begins where the path does not name the key. */
export function labelWarning(key: string, path: string, { vocabulary }: Environment, named = ""): string[] {
  return stableLabels
    .filter(([beta]) => vocabulary.word(beta) === key)
    .map(
      ([, label, release]) => `${path}: ${named}deprecated since v${release}; use "${vocabulary.word(label)}" instead`,
    );
}

export const termWarnings = (term: NodeSelectorTerm, path: string, environment: Environment): string[] =>
  (term.matchExpressions ?? []).flatMap(({ key }, index) =>
    labelWarning(key, `${path}.matchExpressions[${index}].key`, environment, `${key} is `),
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
      : [`${path}[${name}]: fractional byte value "${amount}" is invalid, must be an integer`];
  });
}
