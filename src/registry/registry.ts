/** Opens the registry: all verbs for all kinds over one store. */

import { randomBytes } from "node:crypto";
import type { Clock } from "../base/clock.ts";
import { keyOrder } from "../base/key-order.ts";
import { createKeyedMutex } from "../base/keyed-mutex.ts";
import { type Lifetime, openWith } from "../base/lifetime.ts";
import type { Log } from "../base/log.ts";
import { createMemoryBudget, Suspended } from "../base/memory-budget.ts";
import type { Metric } from "../base/metrics.ts";
import { treeVisit } from "../base/ordered-tree.ts";
import { type Kv, KvError, RevisionConflict } from "../kv/contract.ts";
import type { Ownership } from "../machinery/apply/ownership.ts";
import type { BoundKind, Catalog, Family } from "../machinery/schema/catalog.ts";
import type { FamilyId } from "../machinery/schema/identity.ts";
import { NoBatching, TurnBatching } from "./batching.ts";
import { followStore, type InitialState } from "./cache/follow-store.ts";
import { startReadingAgain } from "./cache/read-again.ts";
import { RepresentationCache } from "./cache/representation-cache.ts";
import { SelectionCache } from "./cache/selection-cache.ts";
import { endOf } from "./cache/snapshot.ts";
import { type CacheState, WatchCache } from "./cache/watch-cache.ts";
import { startCompaction } from "./compaction.ts";
import type { Admission } from "./contract/admission.ts";
import type { Allocator, VirtualSource } from "./contract/allocator.ts";
import type { Entry, ObjectRef } from "./contract/entry.ts";
import type { WriteNotes } from "./contract/history.ts";
import type { ObservedChange, Registry, Written } from "./contract/registry.ts";
import { plainTransformer, type Transformer } from "./contract/transformer.ts";
import type { WriteContext } from "./contract/write-context.ts";
import { create, createEncoded } from "./create.ts";
import { deleteOne } from "./delete.ts";
import { deleteCollection } from "./delete-collection.ts";
import { readAs, viewAs } from "./entry-view.ts";
import { startExpiry } from "./expiry.ts";
import { get, getNow } from "./get.ts";
import { continueKeyName } from "./keys.ts";
import { defaultLimits, type RegistryLimits } from "./limits.ts";
import { list } from "./list.ts";
import { cacheMetrics, StoreDurations, storeSizeMetric } from "./metrics.ts";
import { cachedEntry, catchUp, type RegistryServices } from "./services.ts";
import { Staging } from "./staging.ts";
import { translateKvErrors } from "./store-errors.ts";
import { raiseStoreLevel } from "./store-level.ts";
import { update } from "./update.ts";
import { getVirtual, listVirtual } from "./virtual-resource.ts";
import { type VirtualWatch, watchVirtual } from "./virtual-watch.ts";
import { watch } from "./watch.ts";

/** How many bytes of JSON large objects that are changed at the same time may have. */
export const changedAtOnceBytesMax = 4 * 1024 * 1024;
/** The bytes of those that wait for admission; more are refused with 429. */
export const suspendedBytesMax = 32 * 1024 * 1024;

export interface RegistryOptions extends Partial<RegistryLimits> {
  /** The caller that opened it closes it, after the registry. */
  readonly kv: Kv;
  readonly catalog: Catalog;
  readonly admission: Admission;
  readonly ownership?: Ownership;
  /** Most kinds have none. */
  readonly allocators?: ReadonlyMap<FamilyId, Allocator>;
  /** The sources of families whose objects are not in the store. */
  readonly sources?: ReadonlyMap<FamilyId, VirtualSource>;
  readonly log: Log;
  readonly clock: Clock;
  /** Absent, or a store that keeps no history: the past is what compaction leaves. */
  readonly notes?: WriteNotes | undefined;
  /** Encrypts and decrypts the values of the store. Absent: objects are stored in plain text. */
  readonly transformer?: Transformer;
  /** Whether a write stays in the asynchronous context of its request, as traces need. Default: false, and writes take their steps together. */
  readonly keepsContext?: boolean | undefined;
  /** See FollowOptions. */
  readonly initial?: InitialState | undefined;
  /** Signs continue tokens; absent: one is kept in the store, so that all servers on it and later ones know it. */
  readonly continueKey?: Uint8Array;
}

export interface OpenRegistry extends Registry {
  /** Stores an object as it was printed, without any check: see upkeep/initial-objects.ts. */
  createEncoded(kind: BoundKind, ref: ObjectRef, encoded: string): Promise<Written>;
  readonly metrics: readonly Metric[];
  /** The families that have a watcher whose receiver takes no more events for now. */
  watchedBehind(): readonly Family[];
  /** What the cache of a fork of the store begins with. Call it when the cache has caught up. */
  cacheState(): CacheState;
  close(): Promise<void>;
}

/** Resolves when everything the store holds is in memory. `close` ends watches cleanly and at once. */
export function openRegistry(options: RegistryOptions): Promise<OpenRegistry> {
  return openWith((lifetime) => openOn(options, lifetime));
}

/** One for all: an abort without a reason makes an error with a stack each time. */
const closedReason = new Error("the registry is closed");

async function openOn(options: RegistryOptions, lifetime: Lifetime): Promise<OpenRegistry> {
  await raiseStoreLevel(options.kv, options.catalog.environment.level);
  const services = await createServices(options);
  const { kv, durations, cache, log, clock, catalog } = services;
  const stop = new AbortController();
  const { initial } = options;
  const following = await followStore({ kv, durations, cache, log, clock, signal: stop.signal, initial });
  lifetime.onClose(() => {
    cache.close();
    stop.abort(closedReason);
    return following.ended;
  });
  const forget = (gone: readonly BoundKind[]) => {
    for (const { family } of gone) if (catalog.family(family.id) === undefined) durations.forget(family);
  };
  lifetime.onClose(
    catalog.onChange(({ gone, changed }) => {
      cache.learnFamilies(changed);
      forget(gone);
    }),
  );
  const running = new Set<VirtualWatch>();
  lifetime.onClose(() => {
    for (const one of [...running]) one.finish();
  });
  lifetime.onClose(startBookmarks(services, running));
  for (const start of [startCompaction, startExpiry, startReadingAgain]) lifetime.onClose(start(services));
  const { sources = new Map<FamilyId, VirtualSource>() } = options;
  return createRegistry({ services, sources, running, lifetime });
}

async function createServices(options: RegistryOptions): Promise<RegistryServices> {
  const { kv, catalog, admission, ownership, log, clock, continueKey, notes, transformer, keepsContext, ...others } =
    options;
  const { allocators = new Map<FamilyId, Allocator>(), sources: _read, initial: _followed, ...given } = others;
  const limits: RegistryLimits = { ...defaultLimits, ...given };
  const representationCache = new RepresentationCache();
  const reads = transformer ?? plainTransformer;
  return {
    kv,
    staging: undefined,
    durations: new StoreDurations(clock),
    cache: new WatchCache({
      catalog,
      clock,
      log,
      representationCache,
      transformer: reads,
      history: { ageMs: limits.historyMs, changesMax: limits.historyEventsMax, bytesMax: limits.historyBytesMax },
    }),
    transformer: reads,
    notes: kv.history?.() === undefined ? undefined : notes,
    catalog,
    admission,
    ownership,
    allocators,
    log,
    clock,
    representationCache,
    limits,
    selections: new SelectionCache(),
    batching: keepsContext ? new NoBatching() : new TurnBatching(),
    mutex: createKeyedMutex(),
    budget: createMemoryBudget(changedAtOnceBytesMax),
    suspended: new Suspended(suspendedBytesMax),
    continueKey: continueKey ?? (await sharedKey(kv)),
  };
}

interface RegistryParts {
  readonly services: RegistryServices;
  readonly sources: ReadonlyMap<FamilyId, VirtualSource>;
  readonly running: Set<VirtualWatch>;
  readonly lifetime: Lifetime;
}

/** The verbs over what is open. */
function createRegistry({ services, sources, running, lifetime }: RegistryParts): OpenRegistry {
  const { kv, durations, cache, clock, limits } = services;
  const registry: OpenRegistry = {
    metrics: [durations.metric, ...cacheMetrics(cache), storeSizeMetric(kv, clock, limits.sizePollMs)],
    get(kind, ref, readOptions) {
      const source = sources.get(kind.family.id);
      return source
        ? getVirtual({ services, kind, source, registry }, ref, readOptions)
        : get(services, kind, ref, readOptions);
    },
    getNow: (kind, ref) => (sources.has(kind.family.id) ? undefined : getNow(services, kind, ref)),
    read: async (kind, ref) => readAs(await registry.get(kind, ref), kind),
    peek(kind, ref) {
      const entry = cachedEntry(services, kind.family, ref);
      return entry && viewAs(entry, kind);
    },
    peekAll: (kind, namespace) => all(services, kind.family, namespace ?? "").map((entry) => viewAs(entry, kind)),
    observe(kind, observer) {
      const { observers } = cache.of(kind.family);
      const own = ({ entry, deleted }: ObservedChange) => observer({ entry: viewAs(entry, kind), deleted });
      observers.add(own);
      return () => observers.delete(own);
    },
    list(kind, query) {
      const source = sources.get(kind.family.id);
      return source ? listVirtual({ services, kind, source, registry }, query) : list(services, kind, query);
    },
    watch(kind, query) {
      const source = sources.get(kind.family.id);
      return source ? watchVirtual({ services, kind, source, running }, query) : watch(services, kind, query);
    },
    begin: () => new Staging(services),
    create: (kind, object, ref, context) => create(servicesOf(services, context), kind, object, ref, context),
    createEncoded: (kind, ref, encoded) => createEncoded(services, kind, ref, encoded),
    update: (kind, ref, change, context, how) => update(servicesOf(services, context), kind, ref, change, context, how),
    delete: (kind, ref, how, context) => deleteOne(servicesOf(services, context), kind, ref, how, context),
    deleteCollection: (kind, query, how, context) => deleteCollection(services, kind, query, how, context),
    watchedBehind: () =>
      [...cache.collections].filter(({ watchers }) => watchers.anyBehind()).map(({ family }) => family),
    batching: services.batching,
    cacheState: () => cache.state(),
    unreadable: () => cache.unreadable.size,
    damaged: () => cache.unreadable.damaged,
    catchUp: () => catchUp(services),
    revision: () => kv.revision().catch(translateKvErrors),
    close: () => lifetime.close(),
  };
  return registry;
}

/** A write of a transaction goes through the same steps, and is held back. */
function servicesOf(services: RegistryServices, { transaction }: WriteContext): RegistryServices {
  return transaction === undefined ? services : (transaction as Staging).services; // `begin` made it
}

/** In key order; a snapshot, so later changes are not visible while a caller iterates. */
function all(services: RegistryServices, family: Family, namespace: string): Entry[] {
  const entries: Entry[] = [];
  const { live } = services.cache.of(family);
  if (live.entries.size === 0) return entries; // quotas, limit ranges: needed by every write, often absent
  const begin = namespace === "" ? "" : keyOrder(`${namespace}/`);
  const end = endOf(begin);
  treeVisit(live.entries, begin, (entry, key) => key < end && entries.push(entry) > 0);
  return entries;
}

/** One timer that sends all watchers their bookmarks in time. */
function startBookmarks({ cache, clock, limits }: RegistryServices, running: ReadonlySet<VirtualWatch>): () => void {
  let cancel = (): void => {};
  const schedule = (): void => {
    cancel = clock.after(limits.bookmarkIntervalMs, () => {
      for (const collection of cache.collections) {
        for (const watcher of [...collection.watchers]) watcher.bookmark();
      }
      for (const watcher of [...running]) watcher.bookmark();
      schedule();
    });
  };
  schedule();
  return () => cancel();
}

const keyBytes = 32;

async function sharedKey(kv: Kv): Promise<Uint8Array> {
  const key = randomBytes(keyBytes);
  const found = await kv.get(continueKeyName).catch((error: unknown) => {
    // Lists then continue only while this process runs, and no object is concerned.
    if (error instanceof KvError && error.code === "damaged") return { value: key };
    throw error;
  });
  if (found !== undefined) return found.value;
  try {
    await kv.put(continueKeyName, key, 0n);
    return key;
  } catch (error) {
    if (!(error instanceof RevisionConflict)) throw error;
    return sharedKey(kv); // another server was faster
  }
}
