/** The whole key space of the store in memory, kept up to date by one watch: what every read is served from. */

import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { treeVisit } from "../base/ordered-tree.ts";
import type { BoundKind, Catalog, Family } from "../machinery/schema/catalog.ts";
import type { FamilyId } from "../machinery/schema/identity.ts";
import { expired, serviceUnavailable } from "../machinery/status/status.ts";
import { Change } from "./change.ts";
import { Collection } from "./collection.ts";
import { type Transformed, type Transformer, Unreadable } from "./contract/transformer.ts";
import { StoredEntry, type Traits } from "./entry.ts";
import type { FormCache } from "./form-cache.ts";
import type { HistoryLimits } from "./history.ts";
import { pathInKey, splitKey } from "./keys.ts";
import type { ReadChange, ReadValue, ValueReader } from "./read-values.ts";
import { readStored, shapeOf, versionOf } from "./shape.ts";
import { find, snapshotOf } from "./snapshot.ts";
import { Unclaimed, type UnclaimedObject } from "./unclaimed.ts";
import { UnreadableObjects } from "./unreadable.ts";

export interface MirrorOptions {
  readonly catalog: Catalog;
  readonly clock: Clock;
  readonly log: Log;
  readonly formCache: FormCache;
  readonly transformer: Transformer;
  readonly history: HistoryLimits;
}

/** What a writer of this process knows of the bytes it gave to the store; `value` is their content. */
export interface Prepared extends Transformed {
  readonly version: BoundKind;
  readonly traits: Traits;
  /** VirtualResource by the first of the two: the writer, or the watch that delivers the write. */
  entry?: StoredEntry;
}

interface Waiter {
  readonly revision: bigint;
  settle(reached: boolean, error?: Error): void;
}

export class Mirror implements ValueReader {
  readonly unreadable = new UnreadableObjects();
  readonly #options: MirrorOptions;
  readonly #collections = new Map<FamilyId, Collection>();
  readonly #unclaimed = new Map<FamilyId, Unclaimed>();
  /** By identity of the bytes. Every garbage collection would walk a weak map, and many happen during one write. */
  readonly #prepared = new Map<Uint8Array, Prepared>();
  #families = new Map<FamilyId, Family>();
  #generation = -1;
  #waiting: Waiter[] = [];
  /** Collections of which an object became unreadable, or readable again, in the present step. */
  readonly #interrupted = new Set<Collection>();
  #revision = 0n;
  /** Of a family without a collection and without kept objects: it has not changed after this revision. */
  #unchangedAfter = 0n;
  #closed = false;

  constructor(options: MirrorOptions) {
    this.#options = options;
  }

  get transformer(): Transformer {
    return this.#options.transformer;
  }

  /** Everything up to this revision has been applied. */
  get revision(): bigint {
    return this.#revision;
  }

  get collections(): Iterable<Collection> {
    return this.#collections.values();
  }

  /**
   * The collection of a family, whether or not there is anything in it. A request may still hold a family that has been replaced
   * meanwhile: it then uses the replacement.
   */
  of(family: Family): Collection {
    const known = this.#collections.get(family.id);
    if (known !== undefined && known.family === family) return known;
    this.learnFamilies();
    const current = this.#families.get(family.id);
    const newest = this.#collections.get(family.id);
    if (newest !== undefined && current !== undefined && newest.family === current) return newest;
    return this.#claim(current ?? family, newest);
  }

  /** Whether the catalog still has the family; a custom kind may go while a request that names it waits. */
  follows(family: Family): boolean {
    this.learnFamilies();
    return this.#families.has(family.id);
  }

  /** Makes a write of this process recognisable when the watch delivers it; until `forget`, which must follow. */
  prepare(stored: Uint8Array, prepared: Prepared): void {
    this.#prepared.set(stored, prepared);
  }

  forget(stored: Uint8Array): void {
    this.#prepared.delete(stored);
  }

  own(stored: Uint8Array): Transformed | undefined {
    const prepared = this.#prepared.get(stored);
    return prepared && { value: prepared.value, keyId: prepared.keyId };
  }

  /** The entry of a stored value. Throws if the bytes are not an object of the family. */
  entryOf(family: Family, path: string, { stored, value, keyId }: ReadValue, revision: bigint): StoredEntry {
    const prepared = this.#prepared.get(stored);
    if (prepared?.entry?.revision === revision) return prepared.entry;
    const isOwn = prepared !== undefined && prepared.version.family === family;
    const { shape, body, traits } = isOwn
      ? { shape: shapeOf(prepared.version), body: value, traits: prepared.traits }
      : readStored(family, value);
    const origin = body === value ? undefined : value;
    const entry = new StoredEntry(shape, path, body, revision, traits, this.#options.formCache, keyId, origin);
    if (prepared !== undefined) prepared.entry = entry;
    return entry;
  }

  /**
   * Waits until `revision` has been applied. Undefined: it has. Otherwise whether that happened within `timeoutMs`; absent:
   * however long it takes. Rejects when the caller's signal aborts or the mirror closes.
   */
  reach(
    revision: bigint,
    timeoutMs?: number,
    caller?: { readonly signal?: AbortSignal },
  ): Promise<boolean> | undefined {
    if (revision <= this.#revision) return undefined;
    const signal = caller?.signal;
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(closed());
      if (signal?.aborted) return reject(signal.reason);
      const waiter: Waiter = {
        revision,
        settle: (reached, error) => {
          cancel?.();
          signal?.removeEventListener("abort", abort);
          if (error === undefined) resolve(reached);
          else reject(error);
        },
      };
      const giveUp = (): void => {
        this.#waiting = this.#waiting.filter((other) => other !== waiter);
      };
      const abort = (): void => {
        giveUp();
        waiter.settle(false, signal?.reason);
      };
      const cancel =
        timeoutMs === undefined
          ? undefined
          : this.#options.clock.after(timeoutMs, () => {
              giveUp();
              waiter.settle(false);
            });
      signal?.addEventListener("abort", abort);
      this.#waiting.push(waiter);
    });
  }

  /** Applies the changes of the watch: first updates all states, then notifies all listeners, then raises the revision. */
  take(changes: readonly ReadChange[], revision: bigint): void {
    this.learnFamilies();
    const touched = new Map<Collection, Change[]>();
    const before = this.unreadable.size;
    for (const change of changes) this.#takeOne(change, touched);
    this.#revision = revision > this.#revision ? revision : this.#revision;
    if (this.unreadable.size > before) this.#warnOfUnreadable();
    this.#announce(touched);
    this.#wake();
  }

  /** Takes objects that were unreadable and have been read again. Watches of their kinds start again with them. */
  takeRecovered(changes: readonly ReadChange[]): void {
    const touched = new Map<Collection, Change[]>();
    for (const change of changes) {
      const place = splitKey(change.key);
      if (place === undefined || change.read?.error !== undefined) continue;
      // It may have been written or deleted meanwhile.
      if (this.unreadable.get(place.family, place.path)?.revision === change.revision) this.#takeOne(change, touched);
    }
    this.#announce(touched);
  }

  #announce(touched: ReadonlyMap<Collection, readonly Change[]>): void {
    for (const collection of this.#interrupted) {
      collection.restart(collection.live, this.#revision, readabilityChanged());
    }
    this.#interrupted.clear();
    for (const [collection, announced] of touched) {
      for (const change of announced) this.#observe(collection, change);
      collection.watchers.announce(announced);
    }
  }

  /**
   * Starts again with everything the store holds at `revision`: at the start, and when the watch fell behind what the
   * store keeps. Watchers end with `reason`; observers hear of every difference.
   */
  load(entries: readonly ReadChange[], revision: bigint, reason: Error | undefined): void {
    this.#revision = revision;
    this.#unchangedAfter = revision;
    this.learnFamilies();
    this.unreadable.clear();
    const byFamily = new Map<FamilyId, ReadChange[]>();
    for (const entry of entries) {
      const place = splitKey(entry.key);
      if (place === undefined) continue;
      const members = byFamily.get(place.family);
      if (members === undefined) byFamily.set(place.family, [entry]);
      else members.push(entry);
    }
    this.#unclaimed.clear();
    for (const id of new Set([...byFamily.keys(), ...this.#collections.keys()])) {
      this.#loadFamily(id, byFamily.get(id) ?? [], revision, reason);
    }
    if (this.unreadable.size > 0) this.#warnOfUnreadable();
    this.#wake();
  }

  /** Drops history that is too old. */
  trim(): void {
    const now = this.#options.clock.monotonic();
    for (const collection of this.#collections.values()) collection.history.trim(now);
  }

  close(): void {
    this.#closed = true;
    for (const collection of this.#collections.values()) collection.close();
    for (const waiter of this.#waiting.splice(0)) waiter.settle(false, closed());
  }

  #takeOne(change: ReadChange, touched: Map<Collection, Change[]>): void {
    const place = splitKey(change.key);
    if (place === undefined) return;
    const family = this.#familyOf(place.family);
    if (family === undefined) {
      this.#takeUnclaimed(place.family, place.path, change);
      return;
    }
    const collection = this.of(family);
    const previous = find(collection.live, place.path);
    if (previous !== undefined && previous.revision >= change.revision) return; // already known from a list
    const was = this.unreadable.delete(place.family, place.path);
    const entry = change.read && this.#read(family, place.path, change.read, change.revision);
    // Neither the state nor the events can show it, so those who watch must list again and be told.
    if (was || this.unreadable.get(place.family, place.path) !== undefined) this.#interrupted.add(collection);
    if (entry === undefined && previous === undefined) return;
    const made = new Change(place.path, change.revision, this.#options.clock.monotonic(), entry, previous);
    collection.apply(made);
    const list = touched.get(collection);
    if (list === undefined) touched.set(collection, [made]);
    else list.push(made);
  }

  /** Unreadable bytes must not stop the server. Requests for what cannot be decrypted fail; damaged bytes are not shown. */
  #read(family: Family, path: string, read: ReadValue, revision: bigint): StoredEntry | undefined {
    try {
      if (read.error !== undefined) throw read.error;
      return this.entryOf(family, path, read, revision);
    } catch (error) {
      if (read.error !== undefined || read.keyId !== "") {
        const reason =
          read.error ?? new Unreadable("it was encrypted with another key, or was changed", { cause: error });
        this.unreadable.set(family.id, path, { stored: read.stored, revision, error: reason });
      } else {
        this.#options.log.error("stored object cannot be read", { family: family.id, path, revision, error });
      }
      return undefined;
    }
  }

  /** One line for all of them: with a wrong key there may be thousands. */
  #warnOfUnreadable(): void {
    const [first] = this.unreadable.all();
    if (first === undefined) return;
    const { family, path, object } = first;
    const count = this.unreadable.size;
    this.#options.log.error("stored objects cannot be read", { count, family, path, error: object.error.message });
  }

  #takeUnclaimed(family: FamilyId, path: string, { read, revision }: Pick<ReadChange, "read" | "revision">): void {
    const known = this.#unclaimed.get(family);
    const members = known ?? new Unclaimed(this.#unchangedAfter, this.#options.history);
    if (known === undefined) this.#unclaimed.set(family, members);
    const was = this.unreadable.delete(family, path);
    const object = read === undefined ? undefined : this.#unclaimedObject(family, path, read, revision);
    members.apply(path, { object, revision, atMs: this.#options.clock.monotonic() });
    // As in a collection: neither the state nor the events can show it.
    if (was || read?.error !== undefined) members.interrupt(revision > this.#revision ? revision : this.#revision);
    if (!members.isEmpty) return;
    this.#unclaimed.delete(family);
    this.#unchangedAfter = revision > this.#unchangedAfter ? revision : this.#unchangedAfter;
  }

  /** Undefined: it cannot be read, and is remembered as such. */
  #unclaimedObject(id: FamilyId, path: string, read: ReadValue, revision: bigint): UnclaimedObject | undefined {
    if (read.error === undefined) return { value: read.value, keyId: read.keyId, revision };
    this.unreadable.set(id, path, { stored: read.stored, revision, error: read.error });
    return undefined;
  }

  /** A kind was added or has changed: its kept objects are read again. */
  #claim(family: Family, known: Collection | undefined): Collection {
    const collection = new Collection(family, this.#revision, this.#options.history, known?.observers);
    const unclaimed = this.#unclaimed.get(family.id);
    if (known === undefined && unclaimed?.hasHistory !== false) {
      this.#replay(collection, unclaimed);
      return this.#replaceCollection(collection, known);
    }
    const entries: StoredEntry[] = [];
    const keep = (path: string, value: Uint8Array, keyId: string, revision: bigint): void => {
      const entry = this.#read(family, path, { stored: value, value, keyId }, revision);
      if (entry !== undefined) entries.push(entry);
    };
    for (const [path, one] of unclaimed?.objects ?? []) keep(path, one.value, one.keyId, one.revision);
    if (known !== undefined) {
      treeVisit(known.live.entries, "", (entry) => {
        const late = this.#readLater(family, entry);
        if (late === undefined) keep(entry.path, entry.stored, entry.keyId, entry.revision);
        else entries.push(late);
        return true;
      });
    }
    collection.restart(snapshotOf(entries), this.#revision, undefined);
    return this.#replaceCollection(collection, known);
  }

  #replaceCollection(collection: Collection, known: Collection | undefined): Collection {
    const { family } = collection;
    this.#unclaimed.delete(family.id);
    this.#collections.set(family.id, collection);
    known?.close();
    return collection;
  }

  /**
   * The entry of a kind whose schema has changed. What the new schema makes of it is found out when it is read: a definition may
   * have any number of objects, and nobody waits for all of them. Undefined: it has to be read now.
   */
  #readLater(family: Family, known: StoredEntry): StoredEntry | undefined {
    const { source } = known;
    if (source === undefined) return undefined;
    const shape = shapeOf(versionOf(family, source.version));
    // Labels do not depend on a schema, but selectable fields might.
    if (shape.paths.length > 0) return undefined;
    const read = () => {
      const value = source.stored;
      try {
        const { body } = readStored(family, value);
        return { body, origin: body === value ? undefined : value };
      } catch (error) {
        const { path, revision } = known;
        this.#options.log.error("stored object cannot be read", { family: family.id, path, revision, error });
        return { body: value, origin: undefined };
      }
    };
    const late = { source, read };
    return new StoredEntry(shape, known.path, late, known.revision, known, this.#options.formCache, known.keyId);
  }

  /** The changes from before the kind was known become its watch history. */
  #replay(collection: Collection, unclaimed: Unclaimed | undefined): void {
    const { family } = collection;
    const read = (path: string, { value, keyId, revision }: UnclaimedObject) =>
      this.#read(family, path, { stored: value, value, keyId }, revision);
    const base: StoredEntry[] = [];
    for (const [path, object] of unclaimed?.base() ?? []) {
      const entry = read(path, object);
      if (entry !== undefined) base.push(entry);
    }
    collection.restart(snapshotOf(base), unclaimed?.completeAfter ?? this.#unchangedAfter, undefined);
    for (const { path, revision, atMs, object } of unclaimed?.changes ?? []) {
      const previous = find(collection.live, path);
      const entry = object && read(path, object);
      if (entry !== undefined || previous !== undefined) {
        collection.apply(new Change(path, revision, atMs, entry, previous));
      }
    }
  }

  #loadFamily(id: FamilyId, stored: readonly ReadChange[], revision: bigint, reason: Error | undefined): void {
    const family = this.#familyOf(id);
    if (family === undefined) {
      const members = new Unclaimed(revision, this.#options.history);
      for (const { key, read, revision: at } of stored) {
        const path = pathInKey(id, key);
        const object = read && this.#unclaimedObject(id, path, read, at);
        if (object !== undefined) members.add(path, object);
      }
      if (!members.isEmpty) this.#unclaimed.set(id, members);
      return;
    }
    const collection = this.of(family);
    const before = collection.live;
    const entries: StoredEntry[] = [];
    const changed: StoredEntry[] = [];
    for (const { key, read, revision: at } of stored) {
      const path = pathInKey(id, key);
      const known = find(before, path);
      const entry = known?.revision === at ? known : read && this.#read(family, path, read, at);
      if (entry === undefined) continue;
      entries.push(entry);
      if (entry !== known) changed.push(entry);
    }
    collection.restart(snapshotOf(entries), revision, reason);
    if (collection.observers.size === 0) return;
    treeVisit(before.entries, "", (entry) => {
      if (find(collection.live, entry.path) === undefined) this.#tellObservers(collection, entry, true);
      return true;
    });
    for (const entry of changed) this.#tellObservers(collection, entry, false);
  }

  #observe(collection: Collection, { entry, previous }: Change): void {
    if (collection.observers.size === 0) return;
    if (entry !== undefined) this.#tellObservers(collection, entry, false);
    else if (previous !== undefined) this.#tellObservers(collection, previous, true);
  }

  #tellObservers(collection: Collection, entry: StoredEntry, deleted: boolean): void {
    for (const observer of collection.observers) {
      try {
        observer({ entry, deleted });
      } catch (error) {
        this.#options.log.error("observer failed", { family: collection.family.id, error });
      }
    }
  }

  /** A kind that is no longer served may come back, so its kept objects are kept up to date. */
  #familyOf(id: FamilyId): Family | undefined {
    return this.#families.get(id) ?? this.#collections.get(id)?.family;
  }

  /** The catalog may have changed: new kinds are followed from now on, watches of removed kinds end. */
  learnFamilies(): void {
    const { catalog } = this.#options;
    if (this.#generation === catalog.generation) return;
    this.#generation = catalog.generation;
    this.#families = new Map(catalog.families().map((family) => [family.id, family]));
    // From now on no change of them is missed, so watches may start at the present revision.
    for (const family of this.#families.values()) {
      const known = this.#collections.get(family.id);
      if (known?.family !== family) this.#claim(family, known);
    }
    for (const collection of this.#collections.values()) {
      if (!this.#families.has(collection.family.id)) this.#letGo(collection);
    }
  }

  /** A custom kind may come back, so its objects are remembered; nothing is kept of a kind without objects. */
  #letGo(collection: Collection): void {
    if (collection.family.hub.declaration.origin !== "custom") return;
    const { id } = collection.family;
    this.#collections.delete(id);
    this.#unchangedAfter = this.#revision;
    const members = new Unclaimed(this.#revision, undefined); // a kind that comes back begins anew
    treeVisit(collection.live.entries, "", (entry) => {
      const { stored, keyId, revision } = entry;
      members.add(entry.path, { value: stored, keyId, revision });
      return true;
    });
    if (!members.isEmpty) this.#unclaimed.set(id, members);
    collection.close();
  }

  #wake(): void {
    if (this.#waiting.length === 0) return;
    const due = this.#waiting.filter(({ revision }) => revision <= this.#revision);
    if (due.length === 0) return;
    this.#waiting = this.#waiting.filter(({ revision }) => revision > this.#revision);
    for (const waiter of due) waiter.settle(true);
  }
}

const closed = (): Error => serviceUnavailable("the server is shutting down");
const readabilityChanged = (): Error =>
  expired("what this server can decrypt has changed; list again and watch from there");
