/** The steps of an update, from the caller's change to the bytes to store; functions without I/O. */

import type { MemoryHold } from "../base/memory-budget.ts";
import { type Steps, type TimeSlice, timeSliceFor } from "../base/time-slice.ts";
import { scaleManagers } from "../machinery/apply/through-scale.ts";
import { copyJson, deepFreeze, sameMembers, sameMembersInSteps } from "../machinery/json/json-value.ts";
import type { Printed } from "../machinery/json/printed-spec.ts";
import { nextGeneration } from "../machinery/meta/metadata.ts";
import type { BoundKind, BoundSubresource } from "../machinery/schema/catalog.ts";
import { convertNow } from "../machinery/schema/convert.ts";
import { emptiedMembers } from "../machinery/schema/emptied.ts";
import { copyObject } from "../machinery/schema/final-places.ts";
import type { ApiObject } from "../machinery/schema/kind.ts";
import { sameValue } from "../machinery/schema/same-value.ts";
import { ownMembers } from "../machinery/schema/shared-members.ts";
import { invalid, noErrors } from "../machinery/status/field-error.ts";
import { conflict, invalidObject } from "../machinery/status/status.ts";
import { admissionRequest } from "./admission-request.ts";
import type { AdmissionRequest } from "./contract/admission.ts";
import type { ObjectRef } from "./contract/entry.ts";
import type { UpdateFunction, UpdateOptions } from "./contract/registry.ts";
import type { WriteContext } from "./contract/write-context.ts";
import { sameObject, sameObjectInSteps } from "./equality.ts";
import { mergeIntoParent } from "./merge-into-parent.ts";
import { carryMetadata, checkName, dropRepeatedOwners, setNamespace } from "./metadata.ts";
import type { WriteStep } from "./run-steps.ts";
import { kindOf, resourceOf } from "./subjects.ts";
import { problemsOf } from "./update-problems.ts";
import { parseVersion } from "./versions.ts";
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

/** The present state in the versions that an update needs, all frozen. */
export interface Current {
  readonly hub: ApiObject;
  readonly requested: ApiObject;
  /** The spec of both as it is stored, if that is known. */
  readonly spec: Printed | undefined;
  readonly revision: bigint;
  /** Whether the stored bytes differ from those shown: then writing what is shown still changes the store. */
  readonly isStale: boolean;
}

export interface Updating {
  readonly kind: BoundKind;
  readonly ref: ObjectRef;
  readonly change: UpdateFunction;
  readonly context: WriteContext;
  readonly options: UpdateOptions;
  /** Undefined: the object itself is written. */
  readonly subresource: BoundSubresource | undefined;
  /** The kind that the subresource accepts and returns, if it differs from the object's own. */
  readonly accepted: BoundKind | undefined;
  readonly hold: MemoryHold | undefined;
}

const nothing: ReadonlySet<string> = new Set();

export class Update implements Write {
  readonly services: WriteServices;
  readonly kind: BoundKind;
  readonly ref: ObjectRef;
  readonly context: WriteContext;
  readonly slice: TimeSlice | undefined;
  readonly hold: MemoryHold | undefined;
  readonly change: UpdateFunction;
  readonly options: UpdateOptions;
  readonly subresource: BoundSubresource | undefined;
  readonly accepted: BoundKind | undefined;
  readonly path: string;
  readonly isTracked: boolean;
  readonly isAdmitted: boolean;
  readonly followsRules: boolean;
  /** Whether the object may have members of the state before. Otherwise it gets copies of them. */
  readonly sharesMembers: boolean;
  readonly read: () => Steps<Current>;
  // These and `object` are there once the first step has read the present state.
  old!: ApiObject;
  oldRequested!: ApiObject;
  oldSpec: Printed | undefined;
  revision!: bigint;
  isStale!: boolean;
  /** The state before as clients of the path see it; frozen. */
  shown!: ApiObject;
  object!: ApiObject;
  /** Whether the caller named no version: then the update replaces any state. */
  isUnconditional = false;
  isUnchanged = false;
  /** Members for which the caller sent empty lists or maps, which `object` does not contain. */
  emptied: ReadonlySet<string> = nothing;
  given: ApiObject | undefined;
  completed: Write["completed"];
  request: Write["request"];
  attempt: Write["attempt"];
  encoded: Write["encoded"];

  /** `read` returns the present state, which has this many bytes. */
  constructor(services: WriteServices, updating: Updating, bytes: number, read: () => Steps<Current>) {
    const { kind, ref, context, options, subresource } = updating;
    this.services = services;
    this.kind = kind;
    this.ref = ref;
    this.context = context;
    this.slice = timeSliceFor(Math.max(context.bytes ?? 0, bytes));
    this.hold = updating.hold;
    this.change = updating.change;
    this.options = options;
    this.subresource = subresource;
    this.accepted = updating.accepted;
    this.path = subresource?.name ?? "";
    this.isTracked = options.apply === true;
    this.isAdmitted = context.skipAdmission !== true;
    this.followsRules = context.skipRules !== true;
    this.sharesMembers = mayShareMembers(kind) && !services.allocators.has(kind.family.id);
    this.read = read;
    this.completed = undefined;
    this.request = undefined;
    this.attempt = undefined;
    this.encoded = undefined;
  }

  begin(current: Current): void {
    this.old = current.hub;
    this.oldRequested = current.requested;
    this.oldSpec = current.spec;
    this.revision = current.revision;
    this.isStale = current.isStale;
    this.shown = shownAs(this.kind, this.subresource, current.requested);
    this.object = this.shown;
  }

  /** Whether it follows the rules of the object itself: a whole update, or a path that shows it as something else. */
  get isWhole(): boolean {
    return this.followsRules && (this.subresource === undefined || this.subresource.accepts !== undefined);
  }
}

/** From the next state in the hub version to what is stored. */
const afterAdmission: readonly WriteStep<Update>[] = [
  prepare,
  refuseInvalid,
  warnOfObject,
  allocateForWhole,
  complete,
  findUnchanged,
  encodeChanged,
  admitValidating,
  encodeConvertedChange,
];

/** From the caller's change of the present state to what plugins see. */
export const beforeAdmission: readonly WriteStep<Update>[] = [
  readCurrent,
  applyChange,
  checkGiven,
  applyDefaults,
  boundSize,
  mergeIntoParent,
  passThroughHub,
  dropOwnersOfBody,
  trackOwnership,
  toHub,
];

const updatingObject: readonly WriteStep<Update>[] = [
  ...beforeAdmission,
  admitMutating,
  dropOwners,
  checkVersion,
  ...afterAdmission,
];

/** Clients of such a path never see the parent, and neither does admission. */
const updatingThroughAnotherKind: readonly WriteStep<Update>[] = [
  readCurrent,
  applyChange,
  checkGiven,
  admitMutating,
  checkVersion,
  mergeIntoParent,
  trackOwnership,
  toHub,
  ...afterAdmission,
];

/** All steps from the present state to what is stored. */
export const stepsOf = (subresource: BoundSubresource | undefined): readonly WriteStep<Update>[] =>
  subresource?.accepts === undefined ? updatingObject : updatingThroughAnotherKind;

function* readCurrent(write: Update): Steps<void> {
  write.begin(yield* write.read());
}

function applyChange(write: Update): void | Promise<void> {
  const given = write.change(shownToChange(write));
  const take = (object: ApiObject) => {
    if (write.subresource === undefined) write.emptied = emptiedMembers(object);
    write.object = write.options.fresh ? object : copyObject(write.kind.schema, object);
    if (!write.sharesMembers) ownMembers(write.kind.schema, write.object, write.shown);
  };
  return given instanceof Promise ? given.then(take) : take(given);
}

/** An apply of another kind (a Scale) sees those managers of the parent that own what the path shows. */
function shownToChange({ kind, accepted, path, shown, oldRequested, isTracked }: Update): ApiObject {
  if (!isTracked || accepted === undefined || !kind.family.environment.has("ownersOfSubresources")) return shown;
  const managedFields = scaleManagers(kind, path, accepted, oldRequested.metadata.managedFields);
  if (managedFields === undefined) return shown;
  return { ...shown, metadata: { ...shown.metadata, managedFields: [...managedFields] } };
}

function checkGiven({ kind, ref, object, subresource, options, old }: Update): void {
  const { family } = kind;
  checkName(object.metadata, ref);
  const problems = subresource?.validateWritten?.(object, family.environment) ?? noErrors;
  setNamespace(object.metadata, family.namespaced, ref.namespace);
  if (problems.length > 0) throw invalidObject(subresource?.accepts ?? kindOf(family), ref.name, problems);
  if (options.uid && options.uid !== old.metadata.uid) {
    if (options.apply) {
      const problem = invalid("metadata.uid", options.uid, "field is immutable");
      throw invalidObject(kindOf(family), ref.name, [problem]);
    }
    throw conflict(resourceOf(kind), ref.name, "the uid of the object does not match");
  }
}

/** A patch keeps them until its managed fields are known: up to 1.26 an object in which two items have the same key has none. */
function dropOwnersOfBody(write: Update): void {
  if (write.options.patch !== true) dropOwners(write);
}

function dropOwners({ object, context }: Update): void {
  dropRepeatedOwners(object, context);
}

function admitMutating(write: Update): void | Promise<void> {
  write.request = requestFor(write, write.object);
  return mutate(write, write.request);
}

function requestFor(write: Update, object: ApiObject): AdmissionRequest {
  const { kind, ref, context, path, subresource, accepted, shown, old } = write;
  const isOfKind = subresource?.accepts === undefined;
  return admissionRequest(kind, ref, context, {
    operation: "UPDATE",
    subresource: path,
    object,
    old: isOfKind ? old : shown,
    of: isOfKind ? kind.hub : (accepted ?? "none"),
  });
}

/** After mutating admission, which may have named another version. */
function checkVersion(write: Update): void {
  const { kind, ref, object, revision } = write;
  const version = parseVersion(object.metadata.resourceVersion, "metadata.resourceVersion") ?? 0n;
  if (version !== 0n) {
    if (version !== revision) throw changedMeanwhile(write);
    return;
  }
  const { strategy, compat } = kind;
  // Through a path of another kind, an update applies to whichever version is present.
  const isOfPath = write.subresource?.accepts !== undefined;
  write.isUnconditional = compat.checksVersion ? !write.isWhole : isOfPath || (strategy.unconditionalUpdate ?? true);
  if (write.isUnconditional) return;
  throw invalidObject(compat.checksVersion ? kindOf(kind.family) : resourceOf(kind), ref.name, [
    invalid("metadata.resourceVersion", 0, "must be specified for an update"),
  ]);
}

export function changedMeanwhile({ kind, ref }: Pick<Update, "kind" | "ref">): Error {
  return conflict(
    resourceOf(kind),
    ref.name,
    "the object has been modified; please apply your changes to the latest version and try again",
  );
}

/** An object that is converted on its way to the store may be changed in place there. */
function mayShareMembers(kind: BoundKind): boolean {
  const { family, strategy, declaration } = kind;
  if (kind !== family.stored || kind !== kind.hub || declaration.toHub !== undefined) return false;
  return strategy.leavesOldMembers ?? (declaration.defaults === undefined && strategy.prepareForUpdate === undefined);
}

/** The object as clients of the path see it; frozen. */
function shownAs(kind: BoundKind, subresource: BoundSubresource | undefined, requested: ApiObject): ApiObject {
  if (subresource?.view === undefined) return requested;
  // A view is an object of the accepted kind, which has metadata as all objects do.
  return deepFreeze(copyJson(subresource.view(requested, kind.family.environment) as ApiObject));
}

/** Members whose changes do not raise the generation. */
const aside: ReadonlySet<string> = new Set(["metadata", "status"]);

/** Restores what this write cannot change, and raises the generation. In place. */
export function prepare(write: Update): void | Steps<void> {
  const { kind, object, old, emptied } = write;
  const { family, strategy } = kind;
  carryMetadata(object.metadata, old.metadata);
  if (write.isWhole) {
    // A version without a status path writes the status with the object.
    if (kind.subresources.has("status")) {
      if (old["status"] === undefined) delete object["status"];
      else object["status"] = write.sharesMembers ? old["status"] : copyJson(old["status"]);
    }
    kind.hub.dropGated(object, old);
    strategy.prepareForUpdate?.(object, old, family.environment);
  } else kind.hub.dropGated(object, old, write.path === "status" ? "status" : undefined);
  // A kind may count further changes; then it has already raised the generation.
  if (!strategy.generation || object.metadata.generation !== old.metadata.generation) return;
  if (write.options.keepsGeneration) return;
  if (write.slice !== undefined && strategy.generation === "literal") return raiseInSteps(write);
  const isSame =
    strategy.generation === "literal"
      ? emptied.size === 0 && sameMembers(object, old, aside)
      : sameValue(withoutAside(object), withoutAside(old), kind.hub);
  if (!isSame) object.metadata.generation = nextGeneration(old.metadata.generation);
}

function* raiseInSteps({ object, old, emptied }: Update): Steps<void> {
  yield;
  const isSame = emptied.size === 0 && (yield* sameMembersInSteps(object, old, aside));
  if (!isSame) object.metadata.generation = nextGeneration(old.metadata.generation);
}

const withoutAside = (object: ApiObject) =>
  Object.fromEntries(Object.entries(object).filter(([key]) => !aside.has(key)));

function refuseInvalid(write: Update): void | Promise<void> {
  return refuseFound(write, problemsOf(write));
}

function allocateForWhole(write: Update): void | Promise<void> {
  if (write.isWhole) return allocate(write);
}

/** A write that changes nothing is validated, but not stored. */
function findUnchanged(write: Update): void | Steps<void> {
  write.isUnchanged = false;
  if (isLastStep(write) || write.isStale) return;
  const { completed = write.object, old } = write;
  if (write.slice !== undefined) return findLargeUnchanged(write, completed);
  write.isUnchanged = sameObject(completed, old);
}

function* findLargeUnchanged(write: Update, completed: ApiObject): Steps<void> {
  write.isUnchanged = yield* sameObjectInSteps(completed, write.old);
}

function encodeChanged(write: Update): void | Steps<void> {
  if (!write.isUnchanged) return encodeOrFreeze(write);
}

function encodeConvertedChange(write: Update): void | Promise<void> {
  if (!write.isUnchanged) return encodeConverted(write);
}

/** A terminating object is removed once its last finalizer is gone and nothing else keeps it. */
export function isLastStep({ kind, object }: Update): boolean {
  const { metadata } = object;
  return (
    Boolean(metadata.deletionTimestamp) &&
    (metadata.deletionGracePeriodSeconds ?? 0) <= 0 &&
    (metadata.finalizers ?? []).length === 0 &&
    kind.family.strategy.keepTerminating?.(object) !== true
  );
}

function admitValidating(write: Update): void | Promise<void> {
  const { kind, object, subresource, request } = write;
  if (!write.isAdmitted || request === undefined) return;
  if (subresource?.accepts === undefined) return validate(write, request);
  const made = kind === kind.hub ? object : convertNow(object, kind.hub, kind);
  return validate(write, requestFor(write, shownAs(kind, subresource, made)));
}
