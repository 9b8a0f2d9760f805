/** The checks before a delete, as pure steps without a store; deletion.ts decides what then happens to the object. */

import type { Steps, TimeSlice } from "../base/time-slice.ts";
import type { Printed } from "../machinery/json/printed-spec.ts";
import type { BoundKind } from "../machinery/schema/catalog.ts";
import type { ApiObject } from "../machinery/schema/kind.ts";
import { conflict, forbiddenRequest } from "../machinery/status/status.ts";
import { admissionRequest } from "./admission-request.ts";
import type { ObjectRef } from "./contract/entry.ts";
import type { RegistryDeleteOptions } from "./contract/registry.ts";
import type { WriteContext } from "./contract/write-context.ts";
import { type DeletionPlan, gracePeriod, planDeletion } from "./deletion.ts";
import { admitted, refuseIfGone, type WriteStep } from "./run-steps.ts";
import { kindOf, resourceOf } from "./subjects.ts";
import type { WriteServices } from "./write-steps.ts";

/** The collection that a delete is part of. */
export interface CollectionDeletion {
  readonly slice: TimeSlice;
  /** Runs one after the other, in the order of the calls, so that a refusal stops all later ones. */
  inOrder(admit: () => void | Promise<void>): void | Promise<void>;
}

/** The present state. */
export interface Present {
  /** Frozen. */
  readonly object: ApiObject;
  /** Its spec as it is stored, if that is known. */
  readonly spec: Printed | undefined;
}

export class Deletion {
  readonly services: WriteServices;
  readonly kind: BoundKind;
  readonly ref: ObjectRef;
  readonly options: RegistryDeleteOptions;
  readonly context: WriteContext;
  readonly slice: TimeSlice | undefined;
  readonly collection: CollectionDeletion | undefined;
  /** The version that `object` is in: the hub, or the stored version if converting it may take time. */
  readonly version: BoundKind;
  readonly read: () => Steps<Present>;
  // Both are there once the first step has read the present state.
  object!: ApiObject;
  spec: Printed | undefined;
  plan: DeletionPlan | undefined;

  constructor(given: Omit<Deletion, "plan" | keyof Present>) {
    this.services = given.services;
    this.kind = given.kind;
    this.ref = given.ref;
    this.options = given.options;
    this.context = given.context;
    this.slice = given.slice;
    this.collection = given.collection;
    this.version = given.version;
    this.read = given.read;
    this.spec = undefined;
    this.plan = undefined;
  }
}

/** All steps. The caller then does what `plan` says. */
export const deleteSteps: readonly WriteStep<Deletion>[] = [
  readPresent,
  checkPreconditions,
  refuseProtected,
  admit,
  plan,
];

function* readPresent(write: Deletion): Steps<void> {
  const { object, spec } = yield* write.read();
  write.object = object;
  write.spec = spec;
}

function checkPreconditions({ kind, object, options }: Deletion): void {
  const { metadata } = object;
  // The reference names the kind here, except for kinds that are deleted in two steps.
  const subject = kind.strategy.beginDeletion === undefined ? kindOf(kind.family) : resourceOf(kind);
  const failed = (what: string, wanted: string, found: string) =>
    conflict(
      subject,
      metadata.name ?? "",
      `Precondition failed: ${what} in precondition: ${wanted.slice(0, 200)}, ${what} in object meta: ${found}`,
    );
  const { uid, resourceVersion } = options.preconditions ?? {};
  if (uid !== undefined && uid !== metadata.uid) throw failed("UID", uid, metadata.uid ?? "");
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    throw failed("ResourceVersion", resourceVersion, metadata.resourceVersion ?? "");
  }
}

function refuseProtected({ kind, ref, object }: Deletion): void {
  const refusal = kind.strategy.refuseDelete?.(object, kind.family.environment);
  if (refusal !== undefined) throw forbiddenRequest(resourceOf(kind), ref.name, refusal);
}

/** A delete cannot change the object, so mutating and validating plugins are called together. */
function admit(write: Deletion): void | Promise<void> {
  const { services, kind, ref, context, object: old, version, collection } = write;
  if (context.skipAdmission) return;
  const { admission } = services;
  const request = admissionRequest(kind, ref, context, {
    operation: "DELETE",
    object: undefined,
    old,
    of: version,
    ofCollection: collection !== undefined,
  });
  const validate = () => {
    request.complete({ options: optionsOf(write) });
    return admission.validate(request);
  };
  const ask = () => {
    const mutating = admission.mutate(request);
    return mutating === undefined ? validate() : mutating.then(validate);
  };
  return admitted(write, () => (collection === undefined ? ask() : collection.inOrder(ask)));
}

/** What v1.21 has added to the options of the client when validating plugins see them. */
function optionsOf({ kind, object, options }: Deletion): Readonly<Record<string, unknown>> {
  const { strategy } = kind;
  if (strategy.beginDeletion !== undefined)
    return { preconditions: { uid: object.metadata.uid, ...options.preconditions } };
  if (strategy.gracefulDeletion === undefined || object.metadata.deletionTimestamp) return {};
  const { graceSeconds } = strategy.gracefulDeletion;
  const wanted = graceSeconds(object, options.gracePeriodSeconds, kind.family.environment);
  return { gracePeriodSeconds: gracePeriod(kind, wanted) };
}

function plan(write: Deletion): void {
  const { kind, object, options, services, context } = write;
  refuseIfGone(context);
  write.plan = planDeletion({ kind, object, options, nowMs: services.clock.now() });
}
