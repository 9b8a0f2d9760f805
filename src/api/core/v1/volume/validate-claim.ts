/** Checks of changes to claims: the spec is immutable, but a bound claim may request more storage. */

import { isQualifiedName } from "../../../../machinery/meta/names.ts";
import { checker } from "../../../../machinery/schema/constraints.ts";
import type { ObjectMeta } from "../../../../machinery/schema/object-meta.ts";
import { sameValue } from "../../../../machinery/schema/same-value.ts";
import type { Environment } from "../../../../machinery/schema/schema.ts";
import {
  each,
  type FieldError,
  type FieldErrors,
  forbidden,
  invalid,
  noErrors,
  notSupported,
  ofEach,
  required,
} from "../../../../machinery/status/field-error.ts";
import { compareAmounts } from "../../../../machinery/values/quantity.ts";
import { immutable } from "../../../validation.ts";
import { isNativeResource, validateQuantityNotNegative } from "../resource-names.ts";
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
  const isLate = environment.since("1.29");
  // A class may come later, when there is a default one.
  if (isLate && before.storageClassName === undefined && annotatedBefore === undefined) delete next.storageClassName;
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
  ...(environment.since("1.32") && status ? validateExpansion(status, environment) : noErrors),
];

/** How far an expansion may be. */
const expansionStates = [
  "ControllerResizeInProgress",
  "ControllerResizeInfeasible",
  "NodeResizePending",
  "NodeResizeInProgress",
  "NodeResizeInfeasible",
];

function validateExpansion(status: PersistentVolumeClaimStatus, environment: Environment): FieldErrors {
  const { allocatedResourceStatuses = {}, allocatedResources = {} } = status;
  // v1.35 reports the states under this name.
  const at = "status.allocatedResourceStatus";
  return [
    ...ofEach(Object.entries(allocatedResourceStatuses), ([name, state]) => [
      ...validateClaimResource(name, at, environment),
      ...(expansionStates.includes(state) ? noErrors : [notSupported(at, state, expansionStates)]),
    ]),
    ...ofEach(Object.entries(allocatedResources), ([name, amount]) => {
      const problems = validateClaimResource(name, "status.allocatedResources", environment);
      return problems.length > 0 ? problems : validateQuantityNotNegative(amount, `status.allocatedResources[${name}]`);
    }),
  ];
}

/** Storage, or a resource of another domain. */
function validateClaimResource(name: string, path: string, environment: Environment): FieldErrors {
  const problems = isQualifiedName(name);
  if (problems.length > 0) return each(problems, path, name);
  return name !== "storage" && isNativeResource(name, environment) ? [notSupported(path, name, ["storage"])] : noErrors;
}
