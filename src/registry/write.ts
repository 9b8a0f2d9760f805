/** The last steps of every write: bytes, one compare-and-swap, and the entry that comes of it. */

import { keyBytesMax, valueBytesMax } from "../kv/contract.ts";
import { bodyBytesMax, nestingMax } from "../machinery/codec/json-gate.ts";
import { jsonBytes } from "../machinery/patch/json-size.ts";
import type { Family } from "../machinery/schema/catalog.ts";
import { convertNow } from "../machinery/schema/convert.ts";
import type { ApiObject } from "../machinery/schema/kind.ts";
import { invalid } from "../machinery/status/field-error.ts";
import { invalidObject, tooLarge } from "../machinery/status/status.ts";
import type { ObjectRef } from "./contract.ts";
import type { Core } from "./core.ts";
import { StoredEntry, type Traits } from "./entry.ts";
import { isPlace, keyOf, pathOf } from "./keys.ts";
import { shapeOf } from "./shape.ts";
import { translateKvErrors } from "./store-errors.ts";
import { settle } from "./strategy.ts";
import { kindOf } from "./subjects.ts";

/** How long an answer waits for the mirror to see the write; a store whose watch is down must not hold up writers. */
const seenWithinMs = 1_000;

/** An object as it will be stored and found. What becomes of the object itself from then on changes nothing. */
export interface Printed {
  readonly value: Buffer;
  readonly traits: Traits;
}

export function print(family: Family, hub: ApiObject): Printed {
  return { value: encode(family, hub), traits: shapeOf(family).traits(hub) };
}

/**
 * Stores it if the key is still at `expected` (0n: absent), else throws RevisionConflict. Nothing but bytes is held while
 * the disk is waited for: of many writes under way, objects would fill the memory.
 */
export async function put(
  core: Core,
  family: Family,
  ref: ObjectRef,
  { value, traits }: Printed,
  expected: bigint,
): Promise<StoredEntry> {
  core.mirror.prepare(value, { traits });
  try {
    const revision = await core.kv.put(keyOf(family, ref), value, expected);
    const entry = core.mirror.entryOf(family, pathOf(family, ref), value, revision);
    const seen = core.mirror.reach(revision, seenWithinMs);
    if (seen !== undefined) await seen.catch(() => undefined);
    return entry;
  } catch (error) {
    return translateKvErrors(error);
  } finally {
    core.mirror.forget(value);
  }
}

/** An object that is too large only because of its owners' bookkeeping is stored without it, as the reference does. */
function encode(family: Family, hub: ApiObject): Buffer {
  const stored = family.hub === family.stored ? hub : converted(family, hub);
  const value = shapeOf(family).encode(stored);
  if (value.byteLength <= valueBytesMax || stored.metadata.managedFields === undefined) return value;
  const { managedFields: _managedFields, ...metadata } = stored.metadata;
  return shapeOf(family).encode({ ...stored, metadata });
}

/** What one version says once another may say for each of thousands of parts. */
function converted(family: Family, hub: ApiObject): ApiObject {
  const stored = convertNow(hub, family.hub, family.stored);
  checkPrintedSize(stored);
  return stored;
}

/**
 * Refuses a large object that has become even larger than any body while it was filled in: a few bytes of an empty item
 * can become hundreds. It could never be stored, and validating and printing it would take seconds.
 */
export function checkPrintedSize(object: ApiObject): void {
  if (jsonBytes(object, bodyBytesMax, nestingMax) > bodyBytesMax)
    throw tooLarge("the object is too large to be stored");
}

/** Removes the object if it is still as `entry` shows it, else throws RevisionConflict. */
export async function remove(core: Core, family: Family, entry: StoredEntry): Promise<void> {
  await seen(core, await core.kv.delete(keyOf(family, entry), entry.revision).catch(translateKvErrors));
  const strategy = core.strategies.get(family.id);
  if (strategy === undefined) return;
  await settle(core, () => strategy.end(convertNow(entry.object(), family.stored, family.hub)));
}

/** The entry of an object that is not stored (a dry run); 0n: it has no version. */
export function unstored(core: Core, family: Family, ref: ObjectRef, printed: Printed, revision: bigint): StoredEntry {
  const { value, traits } = printed;
  return new StoredEntry(shapeOf(family), pathOf(family, ref), value, revision, traits, core.shelf);
}

/** A name can be fine by its kind's rule and yet make a key that no store takes. */
export function checkPlace(family: Family, ref: ObjectRef): void {
  if (isPlace(family, ref)) return;
  throw invalidObject(kindOf(family), ref.name.slice(0, keyBytesMax), [
    invalid("metadata.name", ref.name, "must be a well-formed text that is not too long"),
  ]);
}

/** Whoever reads after the answer, even without asking the store, finds the write. */
async function seen(core: Core, revision: bigint): Promise<void> {
  await core.mirror.reach(revision, seenWithinMs)?.catch(() => undefined);
}
