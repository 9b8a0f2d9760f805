/** Checks of changes to claims: the spec is immutable, but a bound claim may request more storage. */

import { checker } from "../../../../machinery/schema/constraints.ts";
import type { Environment } from "../../../../machinery/schema/environment.ts";
import type { ObjectMeta } from "../../../../machinery/schema/object-meta.ts";
import { sameValue } from "../../../../machinery/schema/same-value.ts";
import { type FieldError, forbidden, invalid, noErrors, required } from "../../../../machinery/status/field-error.ts";
import { compareAmounts } from "../../../../machinery/values/quantity.ts";
import { has } from "../../../features.ts";
import { immutable } from "../../../validation.ts";
import { PersistentVolumeClaimSpec } from "./persistent-volume-claim-spec.ts";
import { PersistentVolumeClaimStatus } from "./persistent-volume-claim-status.ts";
import { storageClassAnnotation } from "./storage-columns.ts";

interface ClaimLike {
  readonly metadata: ObjectMeta;
  readonly spec?: PersistentVolumeClaimSpec;
  readonly status?: PersistentVolumeClaimStatus;
}

export function validateClaimUpdate(claim: ClaimLike, old: ClaimLike, environment: Environment): FieldError[] {
  const [spec, before] = [claim.spec ?? {}, old.spec ?? {}];
  const annotation = environment.vocabulary.word(storageClassAnnotation);
  const [annotated, annotatedBefore] = [
    claim.metadata.annotations?.[annotation],
    old.metadata.annotations?.[annotation],
  ];
  const errors: FieldError[] = [];

  // A claim may name its class by the field in place of the annotation.
  const upgraded =
    annotatedBefore !== undefined &&
    (annotated === undefined || annotated === annotatedBefore) &&
    before.storageClassName === undefined &&
    spec.storageClassName === annotatedBefore;
  if (!upgraded && annotated !== annotatedBefore) {
    errors.push(invalid(`metadata.annotations.${annotation}`, annotated ?? "", "field is immutable"));
  }

  const next: PersistentVolumeClaimSpec = { ...spec };
  const kept: PersistentVolumeClaimSpec = { ...before };
  if (!before.volumeName && spec.volumeName) kept.volumeName = spec.volumeName;
  if (upgraded) delete next.storageClassName;
  const isLate = has(environment, "changedAttributes");
  // A class may come later, when there is a default one.
  if (has(environment, "lateClasses") && before.storageClassName === undefined && annotatedBefore === undefined)
    delete next.storageClassName;
  const [size, sizeBefore] = [storageOf(spec), storageOf(before)];
  const grows = environment.gates.enabled("ExpandPersistentVolumes");
  if (grows && claim.status?.phase === "Bound" && spec.resources?.requests) {
    next.resources = { ...spec.resources, requests: { ...spec.resources.requests, storage: sizeBefore } };
  }
  if (isLate && claim.status?.phase === "Bound") {
    if (before.volumeAttributesClassName === undefined) delete next.volumeAttributesClassName;
    else next.volumeAttributesClassName = before.volumeAttributesClassName;
    if (old.status?.currentVolumeAttributesClassName && !spec.volumeAttributesClassName)
      errors.push(forbidden("spec.volumeAttributesClassName", "may not be removed once the volume has it"));
  }
  if (!sameValue(next, kept, PersistentVolumeClaimSpec)) {
    errors.push(forbidden("spec", "is immutable after creation except resources.requests for bound claims"));
  }
  // An expansion that failed may be taken back, but not below what the volume has.
  const isTakenBack = isLate && compareAmounts(size, old.status?.capacity?.["storage"] ?? "0") > 0;
  if (grows && compareAmounts(size, sizeBefore) < 0 && !isTakenBack) {
    errors.push(forbidden("spec.resources.requests.storage", "can not be less than the previous value"));
  }
  return [...errors, ...immutable("volumeMode", spec.volumeMode, before.volumeMode)];
}

const storageOf = ({ resources }: PersistentVolumeClaimSpec): string => resources?.requests?.["storage"] ?? "0";

const checkStatus = checker(PersistentVolumeClaimStatus);

export const validateClaimStatus = ({ spec, status }: ClaimLike, _old: ClaimLike, environment: Environment) => [
  ...(spec?.accessModes?.length ? noErrors : [required("spec.accessModes")]),
  ...checkStatus(status, "status", environment),
];
