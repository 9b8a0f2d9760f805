/** The steps that creates and updates have in common, and the state of a write while it goes through them. */

import type { MemoryHold } from "../base/memory-budget.ts";
import { run, type Steps, TimeSlice } from "../base/time-slice.ts";
import { copyJson, deepFreeze } from "../machinery/json/json-value.ts";
import type { Printed } from "../machinery/json/printed-spec.ts";
import { DefaultsTooLarge, unlessTooLarge } from "../machinery/json-schema/coerce.ts";
import type { BoundKind } from "../machinery/schema/catalog.ts";
import { convert, convertInSteps, convertNow, throughHub, throughHubInSteps } from "../machinery/schema/convert.ts";
import type { ApiObject } from "../machinery/schema/kind.ts";
import type { FieldErrors } from "../machinery/status/field-error.ts";
import { invalidObject } from "../machinery/status/status.ts";
import type { AdmissionRequest } from "./contract/admission.ts";
import type { AllocationAttempt } from "./contract/allocator.ts";
import type { ObjectRef } from "./contract/entry.ts";
import { lacksDefaults } from "./contract/notices.ts";
import type { WriteContext } from "./contract/write-context.ts";
import { checkEncodedSize, type EncodedObject, encodeObject } from "./encode.ts";
import { timestamp } from "./metadata.ts";
import { admitted, waitOutside } from "./run-steps.ts";
import type { RegistryServices } from "./services.ts";
import { kindOf } from "./subjects.ts";

/** The services that the steps use. None of them reads or writes the store. */
export type WriteServices = Pick<RegistryServices, "admission" | "ownership" | "allocators" | "clock">;

/** A create or an update on its way to the store. */
export interface Write {
  readonly services: WriteServices;
  readonly kind: BoundKind;
  readonly ref: ObjectRef;
  readonly context: WriteContext;
  readonly slice: TimeSlice | undefined;
  readonly hold: MemoryHold | undefined;
  /** In the version of the request; from `toHub` on in the version of `kind.hub`. */
  object: ApiObject;
  /** The state before, frozen, in the version of `kind.hub`. Undefined: the object is new. */
  readonly old: ApiObject | undefined;
  /** The state before in the version of the request. */
  readonly oldRequested: ApiObject | undefined;
  /** Its spec as it is stored, if that is known. */
  readonly oldSpec?: Printed | undefined;
  /** "": the object itself. */
  readonly path: string;
  /** Whether `object` already has its managed fields: an apply sets them itself. */
  readonly isTracked: boolean;
  /** Whether admission plugins run. */
  readonly isAdmitted: boolean;
  /** What the caller sent to a path, if the caller also owns fields that the path does not write. */
  readonly given?: ApiObject | undefined;
  /** The object as it is stored, in the version of `kind.hub`. Undefined before `complete`. */
  completed: ApiObject | undefined;
  /** What plugins see; made when the first plugin runs. */
  request: AdmissionRequest | undefined;
  /** What the strategy of the kind has allocated, to be kept or freed depending on the outcome. */
  attempt: AllocationAttempt | undefined;
  /** The object as it will be stored. Undefined at the end: nothing has changed. */
  encoded: EncodedObject | undefined;
}

export function applyDefaults(write: Write): void | Steps<void> {
  const { kind, object, oldRequested, slice } = write;
  const steps = slice && kind.codec.applyDefaultsInSteps?.(object);
  if (steps !== undefined) return applyInSteps(write, steps);
  if (!unlessTooLarge(() => kind.codec.applyDefaults(object, oldRequested))) allowWithoutDefaults(write);
}

function* applyInSteps(write: Write, steps: Steps<void>): Steps<void> {
  try {
    yield* steps;
  } catch (error) {
    if (!(error instanceof DefaultsTooLarge)) throw error;
    allowWithoutDefaults(write);
  }
}

/** An object that is too large for the defaults of its definition already is shown without them, and can be updated without them. */
function allowWithoutDefaults({ kind, oldRequested, context }: Write): void {
  if (oldRequested === undefined || unlessTooLarge(() => kind.codec.applyDefaults(copyJson(oldRequested))))
    throw new DefaultsTooLarge();
  context.warn(lacksDefaults);
}

/** Defaulting may have turned a few bytes of a large object into many. */
export function boundSize({ slice, object }: Write): void {
  if (slice !== undefined) checkEncodedSize(object);
}

/** Removes what the version cannot store, so that no manager owns it. */
export function passThroughHub(write: Write): void | Steps<void> {
  const { object, kind, slice } = write;
  if (slice !== undefined) return replaceObject(write, throughHubInSteps(object, kind));
  write.object = throughHub(object, kind);
}

function* replaceObject(write: Write, steps: Steps<ApiObject>): Steps<void> {
  write.object = yield* steps;
}

/** The caller owns the fields it has set or changed; no manager owns what admission adds later. */
export function trackOwnership(write: Write): Steps<void> | undefined {
  const { services, kind, object, oldRequested: live, context, isTracked, path: subresource } = write;
  if (isTracked) return undefined;
  const { fieldManager: manager } = context;
  if (services.ownership === undefined || manager === "") {
    const managedFields = live?.metadata.managedFields;
    if (managedFields === undefined) delete object.metadata.managedFields;
    else object.metadata.managedFields = copyJson(managedFields);
    return undefined;
  }
  const now = timestamp(services.clock.now());
  const next = write.given ?? object;
  const steps = services.ownership.track({ kind, live, next, manager, subresource, now }, write.slice !== undefined);
  return next === object ? steps : takeManagers(steps, next, object);
}

function* takeManagers(steps: Steps<void> | undefined, from: ApiObject, to: ApiObject): Steps<void> {
  if (steps !== undefined) yield* steps;
  const { managedFields } = from.metadata;
  if (managedFields === undefined) delete to.metadata.managedFields;
  else to.metadata.managedFields = managedFields;
}

export function toHub(write: Write): void | Steps<void> {
  const { kind, object, slice } = write;
  if (kind === kind.hub) return;
  if (slice !== undefined) return replaceObject(write, convertInSteps(object, kind, kind.hub));
  write.object = convertNow(object, kind, kind.hub);
}

/** Plugins change the object in place, or replace it. */
export function mutate(write: Write, request: AdmissionRequest): void | Promise<void> {
  if (!write.isAdmitted) return;
  return admitted(write, () => write.services.admission.mutate(request));
}

/**
 * Refuses the write if `steps` find problems. A small object may take long to validate too, where its kind comes with rules
 * that cost much.
 */
export function refuseFound(write: Write, steps: Steps<FieldErrors>): void | Promise<void> {
  const { strategy } = write.kind;
  const slice = write.slice ?? (strategy.validateInSteps === undefined ? undefined : new TimeSlice());
  const found = run(steps, slice);
  if (found instanceof Promise) return found.then((problems) => refuseProblems(write, problems));
  refuseProblems(write, found);
}

function refuseProblems({ kind, object, ref }: Write, problems: FieldErrors): void {
  if (problems.length > 0) throw invalidObject(kindOf(kind.family), object.metadata.name ?? ref.name, problems);
}

/** A valid object may still have something that its author should know. */
export function warnOfObject({ kind, object, old, path, context }: Write): void {
  const { environment } = kind.family;
  const texts =
    path === ""
      ? kind.strategy.warnings?.(object, old, environment)
      : kind.hub.subresources.get(path)?.warnings?.(object, environment);
  for (const text of texts ?? []) context.warn(text);
}

/** After this the object may only be validated. */
export function complete(write: Write): void {
  const { kind, object } = write;
  write.completed = kind.strategy.complete?.(object, kind.family.environment) ?? object;
}

/** Allocates what the object needs from outside: addresses, ports. */
export function allocate(write: Write): void | Promise<void> {
  const { services, kind, object, old, context } = write;
  const { family } = kind;
  const begun = services.allocators.get(family.id)?.begin({ family, object, old, dryRun: context.dryRun });
  return begun?.then((attempt) => {
    write.attempt = attempt;
  });
}

/** From here on plugins only validate and cannot change the object: its bytes are printed, or it is frozen until they are. */
export function encodeOrFreeze(write: Write): void | Steps<void> {
  const { kind, completed = write.object } = write;
  const { conversion, stored } = kind.family;
  if (!conversion.isImmediate) deepFreeze(completed);
  else if (kind.hub === stored) write.encoded = encodeObject(stored, completed, completed, write.oldSpec);
  else return fixConverted(write, completed);
}

function* fixConverted(write: Write, completed: ApiObject): Steps<void> {
  const { hub, family } = write.kind;
  const converted = yield* convertInSteps(completed, hub, family.stored);
  yield;
  write.encoded = encodeObject(family.stored, converted, completed);
}

export function validate(write: Write, request: AdmissionRequest): void | Promise<void> {
  if (!write.isAdmitted) return;
  return admitted(write, () => write.services.admission.validate(request));
}

/** Objects that a webhook converts are printed last, so that a refusal does not wait for the conversion. */
export function encodeConverted(write: Write): void | Promise<void> {
  const { kind, context, completed: object = write.object } = write;
  const { conversion, stored } = kind.family;
  if (conversion.isImmediate) return;
  const converted = convert(object, kind.hub, stored, context.caller);
  const put = (made: ApiObject) => {
    write.encoded = encodeObject(stored, made, object);
  };
  return converted instanceof Promise ? waitOutside(write, converted).then(put) : put(converted);
}
