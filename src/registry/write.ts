/** The write itself: one compare-and-swap in the store, and the resulting entry. */

import type { Family } from "../machinery/schema/catalog.ts";
import { convertNow } from "../machinery/schema/convert.ts";
import { internalError } from "../machinery/status/status.ts";
import { StoredEntry } from "./cache/entry.ts";
import { layoutOf } from "./cache/layout.ts";
import type { ObjectRef } from "./contract/entry.ts";
import { plainTransformer, type Transformed } from "./contract/transformer.ts";
import type { WriteContext } from "./contract/write-context.ts";
import type { EncodedObject } from "./encode.ts";
import { keyOf, pathInKey, pathOf } from "./keys.ts";
import { afterWrite } from "./run-write.ts";
import type { RegistryServices } from "./services.ts";
import { translateKvErrors } from "./store-errors.ts";

/** How long an answer waits for the cache to see the write; a store whose watch is down must not block writers. */
const seenWithinMs = 1_000;

/**
 * Stores it if the key is still at `expected` (0n: absent), else throws RevisionConflict. It holds nothing but bytes while
 * it waits for the disk: the objects of many concurrent writes would fill the memory. `context` undefined: the server itself writes.
 */
export async function put(
  services: RegistryServices,
  family: Family,
  ref: ObjectRef,
  { version, value, attributes }: EncodedObject,
  expected: bigint,
  context: WriteContext | undefined,
): Promise<StoredEntry> {
  const key = keyOf(family, ref);
  const transformed = encrypted(services, family, key, ref, value);
  const { value: stored, keyId } = transformed instanceof Promise ? await transformed : transformed;
  services.staging?.leave(family, ref, unstored(services, family, ref, { version, value, attributes }, 0n));
  services.cache.reader.prepare(stored, { version, attributes, value, keyId });
  const beganMs = services.durations.now();
  try {
    let revision: bigint;
    try {
      const note = services.notes?.noteOf(family, expected === 0n ? "create" : "update", context);
      revision = await services.kv.put(key, stored, expected, note);
    } finally {
      services.durations.note(expected === 0n ? "create" : "update", family, beganMs);
    }
    const entry = services.cache.reader.entryOf(family, pathInKey(family.id, key), { stored, value, keyId }, revision);
    const seen = services.cache.reach(revision, seenWithinMs);
    if (seen !== undefined) await seen.catch(() => undefined);
    return entry;
  } catch (error) {
    return translateKvErrors(error);
  } finally {
    services.cache.reader.forget(stored);
  }
}

/** What is stored of it; usually the value itself. */
function encrypted(
  services: RegistryServices,
  family: Family,
  key: string,
  ref: ObjectRef,
  value: Uint8Array,
): Transformed | Promise<Transformed> {
  if (services.transformer === plainTransformer) return { value, keyId: "" };
  const refuse = (error: unknown): never => {
    const reason = error instanceof Error ? error.message : String(error);
    throw internalError(`${family.hub.resource} "${ref.name}" cannot be encrypted: ${reason}`, error);
  };
  try {
    const stored = services.transformer.toStorage(key, value);
    return stored instanceof Promise ? stored.catch(refuse) : stored;
  } catch (error) {
    return refuse(error);
  }
}

/** Removes the object if it is still as `entry` shows it, else throws RevisionConflict. */
export async function remove(
  services: RegistryServices,
  family: Family,
  entry: StoredEntry,
  context: WriteContext | undefined,
): Promise<void> {
  services.staging?.leave(family, entry, undefined);
  const note = services.notes?.noteOf(family, "delete", context);
  await seen(
    services,
    await services.durations
      .measure("delete", family, services.kv.delete(keyOf(family, entry), entry.revision, note))
      .catch(translateKvErrors),
  );
  const allocator = services.allocators.get(family.id);
  if (allocator === undefined) return;
  await afterWrite(services, () => allocator.end(convertNow(entry.object(), entry.version, family.hub)));
}

/** The entry of an object that is not stored (a dry run); 0n: it has no version. */
export function unstored(
  services: RegistryServices,
  family: Family,
  ref: ObjectRef,
  encoded: EncodedObject,
  revision: bigint,
): StoredEntry {
  const { version, value, attributes } = encoded;
  return new StoredEntry(
    layoutOf(version),
    pathOf(family, ref),
    value,
    revision,
    attributes,
    services.representationCache,
  );
}

/** A client that reads after the answer finds the write, even if the read does not check with the store. */
async function seen(services: RegistryServices, revision: bigint): Promise<void> {
  await services.cache.reach(revision, seenWithinMs)?.catch(() => undefined);
}
