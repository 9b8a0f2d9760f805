/** The spec of a claim; also used by ephemeral volumes of pods. */

import { since } from "../../../../base/release.ts";
import { validateLabelSelector } from "../../../../machinery/meta/label-selector.ts";
import { isDns1123Subdomain } from "../../../../machinery/meta/names.ts";
import { elided, list, optional, type Static, string, struct } from "../../../../machinery/schema/build.ts";
import type { Environment } from "../../../../machinery/schema/environment.ts";
import {
  each,
  type FieldErrors,
  forbidden,
  invalid,
  noErrors,
  required,
} from "../../../../machinery/status/field-error.ts";
import { compareAmounts } from "../../../../machinery/values/quantity.ts";
import { resourceList } from "../../../common-fields.ts";
import { has } from "../../../features.ts";
import { LabelSelector } from "../../../meta/label-selector.ts";
import { ResourceClaim } from "../pod/resource-claims.ts";
import { TypedLocalObjectReference, TypedObjectReference } from "../references.ts";

export const accessModes = ["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", since("1.27", "ReadWriteOncePod")];

/** A volume that one pod may use has no other mode. */
export const validateModes = (modes: readonly string[], path: string): FieldErrors =>
  modes.length > 1 && modes.includes("ReadWriteOncePod")
    ? [forbidden(path, "may not use ReadWriteOncePod with other access modes")]
    : noErrors;
export const volumeModes = ["Block", "Filesystem"];

/** Paths are those of v1.21, which names the source where it means its kind. */
function validateDataSource(
  { apiGroup, kind, name }: Omit<TypedObjectReference, "namespace">,
  path: string,
  environment: Environment,
): FieldErrors {
  const empty = Object.entries({ name, kind }).flatMap(([field, text]) =>
    text === "" ? [required(`${path}.${field}`)] : [],
  );
  if (apiGroup && has(environment, "checkedSourceGroups")) {
    return [...empty, ...each(isDns1123Subdomain(apiGroup), `${path}.apiGroup`, apiGroup)];
  }
  if (apiGroup || kind === "PersistentVolumeClaim") return empty;
  return [...empty, invalid(path, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup")];
}

/** Resources other than storage are not checked. */
function validateStorage({ requests }: { readonly requests?: Readonly<Record<string, string>> }, path: string) {
  const storage = requests?.["storage"];
  if (storage === undefined) return [required(`${path}[storage]`)];
  return compareAmounts(storage, "0") > 0
    ? noErrors
    : [invalid(`${path}[storage]`, storage, "must be greater than zero")];
}

/** Amounts of storage; until 1.29 it was the struct of containers. */
const VolumeResourceRequirements = struct(
  "core.v1.ResourceRequirements",
  {
    limits: elided(resourceList()).at(1).doc("The most that may be used, by resource."),
    requests: elided(resourceList()).at(2).doc("The least that is needed, by resource. Default: the same as limits."),
    claims: elided(list(ResourceClaim, { topology: "map", keys: ["name"] }))
      .at(3)
      .since("1.26")
      .until("1.29")
      .behind("DynamicResourceAllocation", { keeps: "nothing" })
      .doc("Not used: only containers have resource claims."),
  },
  { from: { "1.29": { name: "core.v1.VolumeResourceRequirements" } } },
);

export const PersistentVolumeClaimSpec = struct("core.v1.PersistentVolumeClaimSpec", {
  accessModes: elided(list(string().oneOf(accessModes).reported("")))
    .at(1)
    .required("at least 1 access mode is required")
    .from("1.22", (modes) => modes.checked(validateModes))
    .doc("How the volume must be mountable: ReadWriteOnce, ReadOnlyMany or ReadWriteMany."),
  resources: elided(VolumeResourceRequirements)
    .at(2)
    .checked(validateStorage)
    .evenEmpty()
    .doc("The least amount of storage that is needed; it can be raised later if the storage class allows it."),
  volumeName: elided(string()).at(3).doc("The volume that is bound to the claim."),
  selector: optional(LabelSelector)
    .at(4)
    .checked(validateLabelSelector)
    .doc("Labels of the volumes that may be bound."),
  storageClassName: optional(string())
    .at(5)
    .named("subdomain")
    .orEmpty()
    .doc("The storage class. Absent: the default class; empty: none."),
  volumeMode: optional(string())
    .at(6)
    .oneOf(volumeModes)
    .default("Filesystem")
    .doc("Filesystem or Block. Default: Filesystem."),
  dataSource: optional(TypedLocalObjectReference)
    .at(7)
    .checked(validateDataSource)
    .ratcheted()
    .doc("A snapshot or another claim that the new volume is filled from."),
  dataSourceRef: optional(TypedObjectReference)
    .at(8)
    .since("1.22")
    .before("1.26", (reference) => reference.with({ schema: TypedLocalObjectReference.schema }))
    .checked(validateDataSource)
    .ratcheted()
    .doc("The object that the new volume is filled from, of any kind; the same as dataSource where both can name it."),
  volumeAttributesClassName: optional(string())
    .at(9)
    .since("1.29")
    // What a gate drops is not checked, and templates keep it.
    .from("1.34", (name) => name.named("subdomain").orEmpty())
    .doc("The VolumeAttributesClass of the volume; it can be changed."),
});
export type PersistentVolumeClaimSpec = Static<typeof PersistentVolumeClaimSpec>;

/** Whether a reference names an object of a namespace. */
export const isElsewhere = (reference: { readonly namespace?: string }): boolean => Boolean(reference.namespace);

/** Each of the two fields for the source of a volume stands for the other where that can name it. Since 1.24. */
export function prepareDataSources(
  spec: PersistentVolumeClaimSpec | undefined,
  old: PersistentVolumeClaimSpec | undefined,
  environment: Environment,
): void {
  dropDataSourceBehindGate(spec, old, environment);
  if (spec === undefined || !has(environment, "dataSourceRefs")) return;
  if (spec.dataSource && !spec.dataSourceRef) spec.dataSourceRef = { ...spec.dataSource };
  else if (spec.dataSourceRef && !spec.dataSource && !spec.dataSourceRef.namespace) {
    const { namespace: _own, ...source } = spec.dataSourceRef;
    spec.dataSource = source;
  }
}

/** Volumes are filled from other claims and from snapshots; anything else only behind a gate, or where it is already. */
function dropDataSourceBehindGate(
  spec: PersistentVolumeClaimSpec | undefined,
  old: PersistentVolumeClaimSpec | undefined,
  environment: Environment,
): void {
  const { gates, vocabulary } = environment;
  const source = spec?.dataSource;
  if (spec === undefined || source === undefined) return;
  // Later the other field is for sources of any kind.
  const takesAny = gates.enabled("AnyVolumeDataSource") && !has(environment, "dataSourceRefs");
  if (old?.dataSource !== undefined || takesAny) return;
  const group = source.apiGroup ?? "";
  const isClaim = source.kind === "PersistentVolumeClaim" && group === "";
  const isSnapshot = source.kind === "VolumeSnapshot" && group === vocabulary.group("snapshot.storage.orch.io");
  if (!isClaim && !isSnapshot) delete spec.dataSource;
}
