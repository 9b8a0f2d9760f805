/** The steps of a create, from the caller's object to the bytes to store; functions without I/O. */

import { checkAnswer, checksCaches } from "../base/cache-check.ts";
import { type Steps, type TimeSlice, timeSliceFor } from "../base/time-slice.ts";
import { copyJson } from "../machinery/json/json-value.ts";
import { validateMetadata } from "../machinery/meta/metadata.ts";
import type { BoundKind } from "../machinery/schema/catalog.ts";
import type { ApiObject } from "../machinery/schema/kind.ts";
import { type FieldErrors, noErrors, together } from "../machinery/status/field-error.ts";
import { admissionRequest } from "./admission-request.ts";
import type { ObjectRef } from "./contract/entry.ts";
import type { WriteContext } from "./contract/write-context.ts";
import { beginMetadata, checkNamespace, dropDeletion, dropRepeatedOwners, setNamespace } from "./metadata.ts";
import type { WriteStep } from "./run-steps.ts";
import {
  allocate,
  applyDefaults,
  boundSize,
  complete,
  encodeConverted,
  encodeOrFreeze,
  mutate,
  passThroughHub,
  refuseFound,
  toHub,
  trackOwnership,
  validate,
  type Write,
  type WriteServices,
  warnOfObject,
} from "./write-steps.ts";

export class Creation implements Write {
  readonly services: WriteServices;
  readonly kind: BoundKind;
  readonly ref: ObjectRef;
  readonly context: WriteContext;
  readonly slice: TimeSlice | undefined;
  readonly hold = undefined;
  readonly old = undefined;
  readonly oldRequested = undefined;
  readonly path = "";
  readonly isTracked: boolean;
  readonly isAdmitted = true;
  object: ApiObject;
  completed: Write["completed"];
  request: Write["request"];
  attempt: Write["attempt"];
  encoded: Write["encoded"];

  /** `object` is decoded, in the version of `kind`, and the steps change it in place. */
  constructor(
    services: WriteServices,
    kind: BoundKind,
    object: ApiObject,
    ref: ObjectRef,
    context: WriteContext,
    isTracked = false,
  ) {
    this.services = services;
    this.kind = kind;
    this.object = object;
    this.ref = ref;
    this.context = context;
    this.isTracked = isTracked;
    this.slice = timeSliceFor(context.bytes ?? 0);
    this.completed = undefined;
    this.request = undefined;
    this.attempt = undefined;
    this.encoded = undefined;
  }
}

/** From what a client sent to what plugins see. */
export const beforeAdmission: readonly WriteStep<Creation>[] = [
  applyDefaults,
  boundSize,
  checkMetadata,
  passThroughHub,
  trackOwnership,
  toHub,
];

/** All steps. The caller then stores `encoded`. */
export const createSteps: readonly WriteStep<Creation>[] = [
  ...beforeAdmission,
  admitMutating,
  dropOwners,
  prepare,
  refuseInvalid,
  warnOfObject,
  allocate,
  complete,
  encodeOrFreeze,
  admitValidating,
  encodeConverted,
];

/** In v1.21 mutating plugins see the namespace only if the client wrote it into the object; since 1.22 they always do. */
function checkMetadata({ kind, object, ref, context, isTracked }: Creation): void {
  const isEarly = kind.family.environment.has("namespaceBeforeAdmission");
  if (isEarly) setNamespace(object.metadata, kind.namespaced, ref.namespace);
  else checkNamespace(object.metadata, kind.namespaced, ref.namespace);
  // A new object is not being deleted, and since 1.25 the field does not get an owner either.
  if (!isTracked && kind.family.environment.has("unownedDeletions")) dropDeletion(object.metadata);
  dropRepeatedOwners(object, context);
}

function admitMutating(write: Creation): void | Promise<void> {
  const { kind, ref, context, object } = write;
  const named = { namespace: ref.namespace, name: ref.name || (object.metadata.name ?? "") };
  write.request = admissionRequest(kind, named, context, { operation: "CREATE", object, old: undefined, of: kind.hub });
  return mutate(write, write.request);
}

/** Plugins may have added owners that the object has already. */
function dropOwners({ object, context }: Creation): void {
  dropRepeatedOwners(object, context);
}

function admitValidating(write: Creation): void | Promise<void> {
  const { request, object } = write;
  if (request === undefined) return;
  if (request.name === "") request.complete({ name: object.metadata.name ?? "" });
  return validate(write, request);
}

/** Prepares a new object for storage. In place. */
export function prepare({ kind, object, ref }: Creation): void {
  const { family, strategy, compat, subresources } = kind;
  const { environment } = family;
  setNamespace(object.metadata, kind.namespaced, ref.namespace); // a plugin may have moved it
  beginMetadata(object.metadata, compat, environment);
  if (!compat.keepsStatusOnCreate && subresources.has("status")) resetStatus(kind, object);
  if (strategy.generation) object.metadata.generation = 1;
  kind.hub.dropGated(object, undefined);
  strategy.prepareForCreate?.(object, environment);
  putLast(object, "status");
}

/** Members are printed in the order in which they were set: people look for the status at the end. */
function putLast(object: ApiObject, member: string): void {
  const value = object[member];
  if (value === undefined || Object.keys(object).at(-1) === member) return;
  delete object[member];
  object[member] = value;
}

/** The status that the server prints before any client has written one; by the hub version. */
const unwritten = new WeakMap<BoundKind, { readonly status: unknown }>();

function resetStatus({ hub }: BoundKind, object: ApiObject): void {
  let empty = unwritten.get(hub);
  if (empty === undefined) {
    empty = { status: hub.codec.decode({})["status"] };
    unwritten.set(hub, empty);
  } else if (checksCaches) checkAnswer("statuses of new objects", empty.status, hub.codec.decode({})["status"]);
  if (empty.status === undefined) delete object["status"];
  else object["status"] = copyJson(empty.status);
}

function refuseInvalid(write: Creation): void | Promise<void> {
  return refuseFound(write, problemsOf(write));
}

/** All validation errors of a new object. */
export function* problemsOf({ kind, object }: Creation): Steps<FieldErrors> {
  const { family, strategy, compat } = kind;
  const { environment } = family;
  const ofMetadata = validateMetadata(object.metadata, {
    namespaced: family.namespaced,
    environment,
    ...(strategy.name === undefined ? {} : { nameRule: strategy.name }),
    plainFinalizers: strategy.plainFinalizers === true,
  });
  yield;
  const ofValues = kind.hub.codec.check === undefined ? noErrors : yield* kind.hub.codec.check(object);
  yield;
  const own =
    strategy.validateInSteps === undefined
      ? (strategy.validate?.(object, environment) ?? noErrors)
      : yield* strategy.validateInSteps(object, undefined, environment);
  const others = together(ofValues, own);
  return compat.metadataLast && others.length > 0 ? others : together(ofMetadata, others);
}
