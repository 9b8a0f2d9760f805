/** Turns stored bytes into entries. Bytes that cannot be read are logged or remembered; they never stop the server. */

import { checkAnswer, checksCaches } from "../../base/cache-check.ts";
import type { Log } from "../../base/log.ts";
import type { BoundKind, Family } from "../../machinery/schema/catalog.ts";
import { type Transformed, type Transformer, Unreadable } from "../contract/transformer.ts";
import { type LateRead, type SelectableAttributes, StoredEntry } from "./entry.ts";
import { layoutOf, readStored, versionOf } from "./layout.ts";
import type { ReadValue, ValueReader } from "./read-values.ts";
import type { RepresentationCache } from "./representation-cache.ts";
import { UnreadableObjects } from "./unreadable.ts";

export interface EntryReaderOptions {
  readonly log: Log;
  readonly representationCache: RepresentationCache;
  readonly transformer: Transformer;
}

/** What a writer of this process knows about the bytes it gave to the store; `value` is their content. */
interface Prepared extends Transformed {
  readonly version: BoundKind;
  readonly attributes: SelectableAttributes;
  /** Created by whichever comes first: the writer, or the watch that delivers the write. */
  entry?: StoredEntry;
}

export class EntryReader implements ValueReader {
  readonly unreadable = new UnreadableObjects();
  readonly #options: EntryReaderOptions;
  /**
   * Found by identity of the bytes. Writes are delivered and answered in nearly the order in which they began, so the search ends
   * near the front. The discarded versions of a map would keep all writes in memory until the next full collection.
   */
  readonly #prepared: { readonly stored: Uint8Array; readonly prepared: Prepared }[] = [];

  constructor(options: EntryReaderOptions) {
    this.#options = options;
  }

  get transformer(): Transformer {
    return this.#options.transformer;
  }

  /** Makes a write of this process recognisable when the watch delivers it. The caller must call `forget` afterwards. */
  prepare(stored: Uint8Array, prepared: Prepared): void {
    this.#prepared.push({ stored, prepared });
  }

  forget(stored: Uint8Array): void {
    const index = this.#prepared.findIndex((each) => each.stored === stored);
    if (index >= 0) this.#prepared.splice(index, 1);
  }

  own(stored: Uint8Array): Transformed | undefined {
    return this.#find(stored);
  }

  #find(stored: Uint8Array): Prepared | undefined {
    for (const each of this.#prepared) if (each.stored === stored) return each.prepared;
    return undefined;
  }

  /** The entry of a stored value. Throws if the bytes are not an object of the family. */
  entryOf(family: Family, path: string, { stored, value, keyId }: ReadValue, revision: bigint): StoredEntry {
    const prepared = this.#find(stored);
    if (prepared?.entry?.revision === revision) return prepared.entry;
    const isOwn = prepared !== undefined && prepared.version.family === family;
    const { layout, body, attributes, lacksDefaults } = isOwn
      ? { layout: layoutOf(prepared.version), body: value, attributes: prepared.attributes, lacksDefaults: false }
      : readStored(family, value, keptBytes(value));
    if (checksCaches && isOwn) checkOwn(family, value, attributes);
    const origin = body === value ? undefined : value;
    const { representationCache } = this.#options;
    let entry = new StoredEntry(layout, path, body, revision, attributes, representationCache, keyId, origin);
    if (lacksDefaults) {
      const late = { source: entry, read: () => readLate(family, value) };
      entry = new StoredEntry(layout, path, late, revision, attributes, representationCache, keyId);
    }
    if (prepared !== undefined) prepared.entry = entry;
    return entry;
  }

  /** As `entryOf`, but undefined if it cannot be read: requests for an undecryptable object fail, damaged bytes are not shown. */
  read(
    family: Family,
    path: string,
    read: ReadValue,
    revision: bigint,
    unreadable = this.unreadable,
  ): StoredEntry | undefined {
    try {
      if (read.error !== undefined) throw read.error;
      return this.entryOf(family, path, read, revision);
    } catch (error) {
      if (read.error !== undefined || read.keyId !== "") {
        const reason =
          read.error ?? new Unreadable("it was encrypted with another key, or was changed", { cause: error });
        unreadable.set(family.id, path, { stored: read.stored, revision, error: reason });
      } else {
        this.#logDamaged(family, path, revision, error);
      }
      return undefined;
    }
  }

  /**
   * The entry of an object whose schema has changed. It is decoded with the new schema on its first read, because a definition may
   * have any number of objects and no request should wait for all of them. Undefined: it has to be read now.
   */
  readLater(family: Family, known: StoredEntry): StoredEntry | undefined {
    const { source } = known;
    if (source === undefined) return undefined;
    const layout = layoutOf(versionOf(family, source.version));
    // Labels do not depend on a schema, but selectable fields might.
    if (layout.paths.length > 0) return undefined;
    const read = () => {
      const value = source.stored;
      try {
        return readLate(family, value);
      } catch (error) {
        this.#logDamaged(family, known.path, known.revision, error);
        return { body: value, origin: undefined, lacksDefaults: false, isGrown: false };
      }
    };
    const late = { source, read };
    return new StoredEntry(
      layout,
      known.path,
      late,
      known.revision,
      known,
      this.#options.representationCache,
      known.keyId,
    );
  }

  /** One log line for all of them: with a wrong key there may be thousands. */
  warnOfUnreadable(): void {
    const [first] = this.unreadable.all();
    if (first === undefined) return;
    const { family, path, object } = first;
    const count = this.unreadable.size;
    const { damaged } = this.unreadable;
    this.#options.log.error("stored objects cannot be read", {
      ...{ count, family, path, error: object.error.message },
      ...(damaged > 0 && { damaged, advice: 'stop the server, and see all of them with "orch check"' }),
    });
  }

  #logDamaged(family: Family, path: string, revision: bigint, error: unknown): void {
    this.#options.log.error("stored object cannot be read", { family: family.id, path, revision, error });
  }
}

/** How many bytes of defaults are kept with an object: its memory at most doubles, unless it is small. */
const keptBytes = (value: Uint8Array): number => Math.max(value.byteLength, keptBytesMin);
const keptBytesMin = 4_096;

function readLate(family: Family, value: Uint8Array): LateRead {
  const { body, lacksDefaults } = readStored(family, value);
  const isGrown = body.byteLength > value.byteLength + keptBytes(value);
  return { body, origin: body === value ? undefined : value, lacksDefaults, isGrown };
}

/** A writer knows what reading the bytes would find. */
function checkOwn(family: Family, value: Uint8Array, attributes: SelectableAttributes): void {
  const read = readStored(family, value, keptBytes(value));
  if (read.body === value) checkAnswer("attributes of own writes", attributes, read.attributes);
}
