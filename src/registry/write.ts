/** The write itself: one compare-and-swap in the store, and the resulting entry. */

import type { Family } from "../machinery/schema/catalog.ts";
import { convertNow } from "../machinery/schema/convert.ts";
import { internalError } from "../machinery/status/status.ts";
import { StoredEntry } from "./cache/entry.ts";
import { shapeOf } from "./cache/shape.ts";
import type { ObjectRef } from "./contract/entry.ts";
import { plainTransformer, type Transformed } from "./contract/transformer.ts";
import type { Core } from "./core.ts";
import { keyOf, pathInKey, pathOf } from "./keys.ts";
import { afterWrite } from "./perform.ts";
import type { Printed } from "./print.ts";
import { translateKvErrors } from "./store-errors.ts";

/** How long an answer waits for the cache to see the write; a store whose watch is down must not block writers. */
const seenWithinMs = 1_000;

/**
 * Stores it if the key is still at `expected` (0n: absent), else throws RevisionConflict. It holds nothing but bytes while
 * it waits for the disk: the objects of many concurrent writes would fill the memory.
 */
export async function put(
  core: Core,
  family: Family,
  ref: ObjectRef,
  { version, value, traits }: Printed,
  expected: bigint,
): Promise<StoredEntry> {
  const key = keyOf(family, ref);
  const transformed = encrypted(core, family, key, ref, value);
  const { value: stored, keyId } = transformed instanceof Promise ? await transformed : transformed;
  core.cache.reader.prepare(stored, { version, traits, value, keyId });
  const beganMs = core.durations.now();
  try {
    let revision: bigint;
    try {
      revision = await core.kv.put(key, stored, expected);
    } finally {
      core.durations.note(expected === 0n ? "create" : "update", family, beganMs);
    }
    const entry = core.cache.reader.entryOf(family, pathInKey(family.id, key), { stored, value, keyId }, revision);
    const seen = core.cache.reach(revision, seenWithinMs);
    if (seen !== undefined) await seen.catch(() => undefined);
    return entry;
  } catch (error) {
    return translateKvErrors(error);
  } finally {
    core.cache.reader.forget(stored);
  }
}

/** What is stored of it; usually the value itself. */
function encrypted(
  core: Core,
  family: Family,
  key: string,
  ref: ObjectRef,
  value: Uint8Array,
): Transformed | Promise<Transformed> {
  if (core.transformer === plainTransformer) return { value, keyId: "" };
  const refuse = (error: unknown): never => {
    const reason = error instanceof Error ? error.message : String(error);
    throw internalError(`${family.hub.resource} "${ref.name}" cannot be encrypted: ${reason}`, error);
  };
  try {
    const stored = core.transformer.toStorage(key, value);
    return stored instanceof Promise ? stored.catch(refuse) : stored;
  } catch (error) {
    return refuse(error);
  }
}

/** Removes the object if it is still as `entry` shows it, else throws RevisionConflict. */
export async function remove(core: Core, family: Family, entry: StoredEntry): Promise<void> {
  await seen(
    core,
    await core.durations
      .measure("delete", family, core.kv.delete(keyOf(family, entry), entry.revision))
      .catch(translateKvErrors),
  );
  const strategy = core.strategies.get(family.id);
  if (strategy === undefined) return;
  await afterWrite(core, () => strategy.end(convertNow(entry.object(), entry.version, family.hub)));
}

/** The entry of an object that is not stored (a dry run); 0n: it has no version. */
export function unstored(core: Core, family: Family, ref: ObjectRef, printed: Printed, revision: bigint): StoredEntry {
  const { version, value, traits } = printed;
  return new StoredEntry(shapeOf(version), pathOf(family, ref), value, revision, traits, core.formCache);
}

/** A client that reads after the answer finds the write, even if the read does not check with the store. */
async function seen(core: Core, revision: bigint): Promise<void> {
  await core.cache.reach(revision, seenWithinMs)?.catch(() => undefined);
}
