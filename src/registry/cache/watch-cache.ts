/** The whole key space of the store in memory, kept up to date by one watch: every read is served from it. */

import type { Clock } from "../../base/clock.ts";
import { treeVisit } from "../../base/ordered-tree.ts";
import { finish, Pace, run, type Steps, TimeSlice } from "../../base/time-slice.ts";
import type { Catalog, Family } from "../../machinery/schema/catalog.ts";
import { conventionsOf } from "../../machinery/schema/conventions.ts";
import type { FamilyId } from "../../machinery/schema/identity.ts";
import { expired } from "../../machinery/status/status.ts";
import { splitKey } from "../keys.ts";
import { Change } from "./change.ts";
import { claimFamily } from "./claim-family.ts";
import { Collection, type CollectionState } from "./collection.ts";
import type { StoredEntry } from "./entry.ts";
import { EntryReader, type EntryReaderOptions } from "./entry-reader.ts";
import type { WatchHistoryLimits } from "./history.ts";
import { indexedAs, type LoadedFamily, readFamily } from "./loaded-family.ts";
import type { ReadChange } from "./read-values.ts";
import { RevisionWaiters } from "./revision-waiters.ts";
import { find } from "./snapshot.ts";
import { UnclaimedFamilies } from "./unclaimed-families.ts";
import { UnreadableObjects } from "./unreadable.ts";

interface WatchCacheOptions extends EntryReaderOptions {
  readonly catalog: Catalog;
  readonly clock: Clock;
  readonly history: WatchHistoryLimits;
}

/** What a cache holds at one moment: other caches may begin with it, and share its entries. */
export interface CacheState {
  readonly collections: readonly CollectionState[];
  /** Families whose declarations belong to one server alone, and those that are not served. */
  readonly others: readonly FamilyId[];
}

/** Fewer objects are read at once. */
export const loadedAtOnceMax = 500;

export class WatchCache {
  readonly reader: EntryReader;
  readonly unreadable: UnreadableObjects;
  readonly #options: WatchCacheOptions;
  readonly #collections = new Map<FamilyId, Collection>();
  readonly #unclaimed: UnclaimedFamilies;
  readonly #waiters: RevisionWaiters;
  #generation = -1;
  /** Collections in which an object became unreadable, or readable again, in the present step. */
  readonly #interrupted = new Set<Collection>();
  #revision = 0n;
  #isClosed = false;

  constructor(options: WatchCacheOptions) {
    this.#options = options;
    this.reader = new EntryReader(options);
    this.unreadable = this.reader.unreadable;
    this.#unclaimed = new UnclaimedFamilies({ ...options, unreadable: this.unreadable });
    this.#waiters = new RevisionWaiters(options.clock);
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
    const current = this.#options.catalog.family(family.id);
    const newest = this.#collections.get(family.id);
    if (newest !== undefined && current !== undefined && newest.family === current) return newest;
    return this.#claim(current ?? family, newest);
  }

  /** Whether the catalog still has the family; a custom kind may be removed while a request for it waits. */
  follows(family: Family): boolean {
    return this.#options.catalog.family(family.id) !== undefined;
  }

  /**
   * Waits until `revision` has been applied. Undefined: it has. Otherwise whether that happened within `timeoutMs`; absent:
   * however long it takes. Rejects when the caller's signal aborts or the cache closes.
   */
  reach(
    revision: bigint,
    timeoutMs?: number,
    caller?: { readonly signal?: AbortSignal },
  ): Promise<boolean> | undefined {
    if (revision <= this.#revision) return undefined;
    return this.#waiters.wait(revision, timeoutMs, caller?.signal);
  }

  /** Applies changes that the watch delivered: updates all states, then notifies watchers, observers and waiting requests. */
  apply(changes: readonly ReadChange[], revision: bigint): void {
    this.learnFamilies();
    const touched = new Map<Collection, Change[]>();
    const before = this.unreadable.size;
    for (const change of changes) this.#applyOne(change, touched);
    this.#revision = revision > this.#revision ? revision : this.#revision;
    if (this.unreadable.size > before) this.reader.warnOfUnreadable();
    this.#announce(touched);
    this.#waiters.wake(this.#revision);
  }

  /** Takes objects that were unreadable and have been read again. Watches of their kinds start again with them. */
  applyRecovered(changes: readonly ReadChange[]): void {
    const touched = new Map<Collection, Change[]>();
    for (const change of changes) {
      const location = splitKey(change.key);
      if (location === undefined || change.read?.error !== undefined) continue;
      // It may have been written or deleted meanwhile.
      if (this.unreadable.get(location.family, location.path)?.revision === change.revision)
        this.#applyOne(change, touched);
    }
    this.#announce(touched);
  }

  /**
   * Starts again with everything the store holds at `revision`, in key order: at the start, and when the store no longer has the
   * changes after the last one seen. It is read in time slices, and until then requests see what was there before. Watchers end with
   * `reason`; observers are notified of every difference.
   */
  async load(entries: readonly ReadChange[], revision: bigint, reason: Error | undefined): Promise<void> {
    this.learnFamilies();
    const slice = entries.length > loadedAtOnceMax ? new TimeSlice() : undefined;
    const unreadable = new UnreadableObjects();
    const byFamily = await run(groupByFamily(entries), slice);
    const loaded = new Map<FamilyId, LoadedFamily>();
    for (const [id, stored] of byFamily) {
      const family = this.#familyOf(id);
      if (family === undefined) continue;
      const collection = this.of(family);
      const read = await run(readFamily({ collection, stored, reader: this.reader, unreadable }), slice);
      loaded.set(id, await indexedAs(read, collection));
    }
    if (this.#isClosed) return;
    this.#revision = revision;
    this.#unclaimed.reset(revision);
    this.learnFamilies();
    this.unreadable.replaceBy(unreadable);
    for (const id of new Set([...byFamily.keys(), ...this.#collections.keys()]))
      this.#loadStored(id, byFamily.get(id) ?? [], { reason, loaded: loaded.get(id) });
    if (this.unreadable.size > 0) this.reader.warnOfUnreadable();
    this.#waiters.wake(revision);
  }

  /** The state at the revision that was applied last. */
  state(): CacheState {
    const all = [...this.#collections.values()];
    const isOwn = ({ family }: Collection) => family.hub.declaration.origin === "custom";
    return {
      collections: all.filter((collection) => !isOwn(collection)).map((collection) => collection.state()),
      others: [...all.filter(isOwn).map(({ family }) => family.id), ...this.#unclaimed.ids],
    };
  }

  /** Begins with the state of another cache, before anything else. Objects of `others` are not part of it and come with `rest`. */
  adopt({ collections }: CacheState, rest: readonly ReadChange[], revision: bigint): void {
    this.#revision = revision;
    this.#unclaimed.reset(revision);
    for (const state of collections) {
      const { id } = state.family;
      this.#collections.set(id, Collection.of(state, revision, this.#options.history));
    }
    this.learnFamilies();
    for (const [id, stored] of finish(groupByFamily(rest))) this.#loadStored(id, stored, {});
    if (this.unreadable.size > 0) this.reader.warnOfUnreadable();
  }

  /**
   * The catalog may have changed: new kinds are followed from now on, watches of removed kinds end. `changed`: the families of the
   * last change; without it all are compared.
   */
  learnFamilies(changed?: readonly FamilyId[]): void {
    const { catalog } = this.#options;
    if (this.#generation === catalog.generation) return;
    const isNext = this.#generation === catalog.generation - 1;
    this.#generation = catalog.generation;
    const isOfChange = changed !== undefined && isNext;
    for (const id of isOfChange ? changed : this.#allFamilies()) this.#learn(id);
  }

  #allFamilies(): ReadonlySet<FamilyId> {
    return new Set([...this.#options.catalog.families().map(({ id }) => id), ...this.#collections.keys()]);
  }

  #learn(id: FamilyId): void {
    const family = this.#options.catalog.family(id);
    const known = this.#collections.get(id);
    // From now on no change of it is missed, so watches may start at the present revision.
    if (family === undefined) {
      if (known !== undefined) this.#release(known);
    } else if (known?.family !== family) this.#claim(family, known);
  }

  /** Drops watch history that is too old. */
  trim(): void {
    const now = this.#options.clock.monotonic();
    for (const collection of this.#collections.values()) collection.history.trim(now);
  }

  close(): void {
    this.#isClosed = true;
    for (const collection of this.#collections.values()) collection.close();
    this.#waiters.close();
  }

  #applyOne(change: ReadChange, touched: Map<Collection, Change[]>): void {
    const location = splitKey(change.key);
    if (location === undefined) return;
    const family = this.#familyOf(location.family);
    if (family === undefined) {
      this.#unclaimed.take(location.family, location.path, change, this.#revision);
      return;
    }
    const collection = this.of(family);
    const previous = find(collection.live, location.path);
    if (previous !== undefined && previous.revision >= change.revision) return; // already known from a list
    const wasUnreadable = this.unreadable.delete(location.family, location.path);
    const entry = change.read && this.reader.read(family, location.path, change.read, change.revision);
    // Neither the state nor the events can show it, so watchers must list again, and that list fails.
    if (wasUnreadable || this.unreadable.get(location.family, location.path) !== undefined)
      this.#interrupted.add(collection);
    if (entry === undefined && previous === undefined) return;
    const made = new Change(location.path, change.revision, this.#options.clock.monotonic(), entry, previous);
    collection.apply(made);
    const list = touched.get(collection);
    if (list === undefined) touched.set(collection, [made]);
    else list.push(made);
  }

  #announce(touched: ReadonlyMap<Collection, readonly Change[]>): void {
    for (const collection of this.#interrupted) {
      collection.interrupt(this.#revision, readabilityChanged());
    }
    this.#interrupted.clear();
    for (const [collection, changes] of touched) {
      for (const change of changes) this.#observe(collection, change);
      collection.watchers.dispatch(changes);
    }
  }

  #loadStored(id: FamilyId, stored: readonly ReadChange[], { reason, loaded }: Loading): void {
    const family = this.#familyOf(id);
    if (family === undefined) {
      this.#unclaimed.load(id, stored, this.#revision);
      return;
    }
    const collection = this.of(family);
    const before = collection.live;
    const { reader, unreadable } = this;
    // The kind may have come or changed while the store was read.
    if (loaded !== undefined && loaded.family !== family) unreadable.forget(id);
    const next = loaded?.family === family ? loaded : finish(readFamily({ collection, stored, reader, unreadable }));
    collection.restart(next, this.#revision, reason);
    if (collection.observers.size === 0) return;
    treeVisit(before.entries, "", (entry) => {
      if (find(collection.live, entry.path) === undefined) this.#notify(collection, entry, true);
      return true;
    });
    for (const entry of next.changed) this.#notify(collection, entry, false);
  }

  #observe(collection: Collection, { entry, previous }: Change): void {
    if (collection.observers.size === 0) return;
    if (entry !== undefined) this.#notify(collection, entry, false);
    else if (previous !== undefined) this.#notify(collection, previous, true);
  }

  #notify(collection: Collection, entry: StoredEntry, deleted: boolean): void {
    for (const observer of collection.observers) {
      try {
        observer({ entry, deleted });
      } catch (error) {
        this.#options.log.error("observer failed", { family: collection.family.id, error });
      }
    }
  }

  /** Also of a built-in kind that the catalog no longer serves: it may come back, so its objects are kept up to date. */
  #familyOf(id: FamilyId): Family | undefined {
    return this.#options.catalog.family(id) ?? this.#collections.get(id)?.family;
  }

  /** A kind was added or has changed: its objects are read again, and watches of it end. */
  #claim(family: Family, known: Collection | undefined): Collection {
    const { reader } = this;
    const { history } = this.#options;
    const unclaimed = this.#unclaimed;
    const collection = claimFamily({ family, known, unclaimed, reader, history, revision: this.#revision });
    unclaimed.delete(family.id);
    this.#collections.set(family.id, collection);
    known?.close();
    return collection;
  }

  /** A custom kind may come back, so its objects are remembered; nothing is kept of a kind without objects. */
  #release(collection: Collection): void {
    if (!conventionsOf(collection.family.hub).isTemporary) return;
    this.#collections.delete(collection.family.id);
    this.#unclaimed.claim(collection, this.#revision);
    collection.close();
  }
}

interface Loading {
  /** Why watches end. */
  readonly reason?: Error | undefined;
  /** Read before. */
  readonly loaded?: LoadedFamily | undefined;
}

function* groupByFamily(entries: readonly ReadChange[]): Steps<ReadonlyMap<FamilyId, readonly ReadChange[]>> {
  const byFamily = new Map<FamilyId, ReadChange[]>();
  const pace = new Pace();
  for (const entry of entries) {
    if (pace.isDue) yield;
    const location = splitKey(entry.key);
    if (location === undefined) continue;
    const members = byFamily.get(location.family);
    if (members === undefined) byFamily.set(location.family, [entry]);
    else members.push(entry);
  }
  return byFamily;
}

const readabilityChanged = (): Error =>
  expired("what this server can decrypt has changed; list again and watch from there");
