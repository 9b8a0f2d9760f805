/** Deletes an object: at once, or in two steps if something still has to be done before. */

import { run, type Steps, timeSliceFor } from "../base/time-slice.ts";
import { RevisionConflict } from "../kv/contract.ts";
import { deepFreeze } from "../machinery/json/json-value.ts";
import type { BoundKind } from "../machinery/schema/catalog.ts";
import { convertInSteps, isOf, versionIn } from "../machinery/schema/convert.ts";
import type { ApiObject } from "../machinery/schema/kind.ts";
import { type FieldError, invalid, notSupported } from "../machinery/status/field-error.ts";
import { conflict, invalidObject, notFound } from "../machinery/status/status.ts";
import type { StoredEntry } from "./cache/entry.ts";
import type { ObjectRef } from "./contract/entry.ts";
import type { Deleted, RegistryDeleteOptions } from "./contract/registry.ts";
import type { WriteContext } from "./contract/write-context.ts";
import { type CollectionDeletion, Deletion, deleteSteps, type Present } from "./delete-steps.ts";
import { type EncodedObject, encodeObject } from "./encode.ts";
import { sameObject } from "./equality.ts";
import { refuseIfGone } from "./run-steps.ts";
import { currentEntry, type RegistryServices } from "./services.ts";
import { optionsOf, resourceOf } from "./subjects.ts";
import { put, remove, unstored } from "./write.ts";

export async function deleteOne(
  services: RegistryServices,
  kind: BoundKind,
  ref: ObjectRef,
  options: RegistryDeleteOptions,
  context: WriteContext,
  collection?: CollectionDeletion,
): Promise<Deleted> {
  const { family } = kind;
  checkOptions(kind, options);
  const { orphansByDefault: notice } = kind.compat;
  const isLeftOpen = options.propagationPolicy === undefined && options.orphanDependents === undefined;
  if (isLeftOpen && typeof notice === "string") context.warn(notice);
  for (let attempt = 1; ; attempt += 1) {
    refuseIfGone(context);
    const found = currentEntry(services, kind, ref, context.caller);
    const entry = found instanceof Promise ? await found : found;
    if (entry === undefined) throw notFound(resourceOf(kind), ref.name);
    // Even an object that cannot be converted can be deleted: kinds converted by a webhook are deleted as stored.
    const stored = versionIn(family, entry.version);
    const version = family.conversion.isImmediate ? kind.hub : stored;
    const slice = collection?.slice ?? timeSliceFor(entry.size);
    const read = () => readPresent(entry, stored, version);
    const write = new Deletion({ services, kind, ref, options, context, slice, collection, version, read });
    try {
      return await deleteState(services, write, entry);
    } catch (error) {
      // Another writer changed the object in between; its new state decides whether it may still be deleted.
      if (!(error instanceof RevisionConflict)) throw error;
      if (attempt >= services.limits.attemptsMax) throw conflict(resourceOf(kind), ref.name, "it keeps changing");
    }
  }
}

function* readPresent(entry: StoredEntry, stored: BoundKind, version: BoundKind): Steps<Present> {
  const object = yield* entry.load();
  yield;
  // Nothing changes it from here on, so an object that is stored in this version is not copied.
  const converted = isOf(object, stored, version) ? object : yield* convertInSteps(object, stored, version);
  yield;
  return { object: deepFreeze(converted), spec: entry.isStale ? undefined : entry.spec };
}

async function deleteState(services: RegistryServices, write: Deletion, entry: StoredEntry): Promise<Deleted> {
  const { kind, ref, context } = write;
  const { family } = kind;
  const pending = services.batching.run(deleteSteps, write);
  if (pending !== undefined) await pending;
  const { plan, object } = write;
  switch (plan?.step) {
    case undefined:
      throw new Error("a deletion is always planned");
    case "leave":
      return held(kind, entry);
    case "remove":
      if (!context.dryRun) await remove(services, family, entry, context);
      else services.staging?.leave(family, ref, undefined);
      return gone(kind, entry);
    case "mark": {
      const { next } = plan;
      const encoded = await run(printMarked(write, next), write.slice);
      const { staging } = services;
      // Readers of a transaction never see an object between its two steps.
      const isOneStep = plan.thenRemove && staging !== undefined;
      const marked =
        context.dryRun || isOneStep
          ? unstored(services, family, ref, encoded, entry.revision)
          : sameObject(next, object)
            ? entry
            : await put(services, family, ref, encoded, entry.revision, context);
      if (context.dryRun) staging?.leave(family, ref, plan.thenRemove ? undefined : marked);
      if (!plan.thenRemove) return held(kind, marked);
      if (!context.dryRun)
        await (isOneStep ? remove(services, family, entry, context) : removeMarked(services, kind, marked, context));
      return gone(kind, marked);
    }
  }
}

function* printMarked({ kind, version, spec }: Deletion, next: ApiObject): Steps<EncodedObject> {
  const { conversion, stored } = kind.family;
  if (!conversion.isImmediate || version === stored) return encodeObject(version, next, next, spec);
  const converted = yield* convertInSteps(next, version, stored);
  yield;
  return encodeObject(stored, converted, next);
}

const gone = (kind: BoundKind, entry: StoredEntry): Deleted => ({
  entry,
  removed: true,
  answer: kind.strategy.returnsDeleted ? "object" : "status",
});

const held = (kind: BoundKind, entry: StoredEntry): Deleted => ({
  entry,
  removed: false,
  answer: kind.compat.hidesDeleted ? "status" : "object",
});

/** The object was marked a moment ago; a client that has removed it since did what we were about to do. */
async function removeMarked(
  services: RegistryServices,
  kind: BoundKind,
  marked: StoredEntry,
  context: WriteContext,
): Promise<void> {
  const { namespace, name } = marked;
  try {
    await remove(services, kind.family, marked, context);
  } catch (error) {
    if (!(error instanceof RevisionConflict)) throw error;
    if ((await currentEntry(services, kind, { namespace, name })) !== undefined) throw error;
  }
}

const policies = ["Background", "Foreground", "Orphan"];

function checkOptions(kind: BoundKind, options: RegistryDeleteOptions): void {
  const { propagationPolicy: policy, orphanDependents, dryRun } = options;
  const errors: FieldError[] = [];
  if (policy !== undefined && orphanDependents !== undefined) {
    errors.push(invalid("propagationPolicy", policy, "must not be given together with orphanDependents"));
  }
  if (policy !== undefined && !policies.includes(policy)) {
    errors.push(notSupported("propagationPolicy", policy, policies));
  }
  if (dryRun?.some((part) => part !== "All")) errors.push(notSupported("dryRun", dryRun, ["All"]));
  if (errors.length > 0) throw invalidObject(optionsOf(kind.family, "DeleteOptions"), "", errors);
}
