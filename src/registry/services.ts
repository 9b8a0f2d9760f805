/** The services that every verb uses. */

import type { Clock } from "../base/clock.ts";
import type { KeyedMutex } from "../base/keyed-mutex.ts";
import type { Log } from "../base/log.ts";
import type { MemoryBudget, Suspended } from "../base/memory-budget.ts";
import type { Kv } from "../kv/contract.ts";
import type { Ownership } from "../machinery/apply/ownership.ts";
import type { BoundKind, Catalog, Family } from "../machinery/schema/catalog.ts";
import type { FamilyId } from "../machinery/schema/identity.ts";
import type { TurnBatching } from "./batching.ts";
import type { StoredEntry } from "./cache/entry.ts";
import type { RepresentationCache } from "./cache/representation-cache.ts";
import type { SelectionCache } from "./cache/selection-cache.ts";
import type { WatchCache } from "./cache/watch-cache.ts";
import type { Admission } from "./contract/admission.ts";
import type { Allocator } from "./contract/allocator.ts";
import type { ObjectRef } from "./contract/entry.ts";
import type { WriteNotes } from "./contract/history.ts";
import type { Transformer } from "./contract/transformer.ts";
import type { RegistryLimits } from "./limits.ts";
import type { StoreDurations } from "./metrics.ts";
import type { Staging } from "./staging.ts";
import { translateKvErrors } from "./store-errors.ts";

export interface RegistryServices {
  readonly kv: Kv;
  /** The transaction that these services are for. Undefined: writes are stored alone. */
  readonly staging: Staging | undefined;
  readonly durations: StoreDurations;
  readonly cache: WatchCache;
  /** Encrypts and decrypts what the store holds. */
  readonly transformer: Transformer;
  /** Undefined: no history is kept. */
  readonly notes: WriteNotes | undefined;
  readonly catalog: Catalog;
  readonly admission: Admission;
  /** Undefined: managedFields are kept unchanged. */
  readonly ownership: Ownership | undefined;
  readonly allocators: ReadonlyMap<FamilyId, Allocator>;
  readonly log: Log;
  readonly clock: Clock;
  readonly representationCache: RepresentationCache;
  readonly limits: RegistryLimits;
  readonly selections: SelectionCache;
  /** Runs the steps of creates and updates. */
  readonly batching: TurnBatching;
  /** Changes of one large object wait for each other: otherwise each would conflict with the long work of the others. */
  readonly mutex: KeyedMutex;
  /** The budget for bytes of large objects that are being changed: in memory they take ten times as much. */
  readonly budget: MemoryBudget;
  /** The limit for those of them that wait for admission. */
  readonly suspended: Suspended;
  /** Signs continue tokens. */
  readonly continueKey: Uint8Array;
}

/** The newest state this process knows of an object. */
export function cachedEntry(services: RegistryServices, family: Family, ref: ObjectRef): StoredEntry | undefined {
  return services.cache.of(family).names.get(ref);
}

/** Waits until the cache holds everything that was written before this call. Undefined: it already does. */
export function catchUp(
  services: RegistryServices,
  caller?: { readonly signal?: AbortSignal },
): Promise<void> | undefined {
  // Known without asking if no other process writes to the store.
  const newest = services.kv.newest?.();
  return newest !== undefined && newest <= services.cache.revision ? undefined : askAndReach(services, caller);
}

async function askAndReach(
  services: RegistryServices,
  caller: { readonly signal?: AbortSignal } | undefined,
): Promise<void> {
  const revision = await services.durations.measure("get", undefined, services.kv.revision()).catch(translateKvErrors);
  await services.cache.reach(revision, undefined, caller);
}

/** The state of an object that includes every write completed before this call. Throws if it is stored but cannot be read. */
export function currentEntry(
  services: RegistryServices,
  kind: BoundKind,
  ref: ObjectRef,
  caller?: { readonly signal?: AbortSignal },
): StoredEntry | undefined | Promise<StoredEntry | undefined> {
  const found = () => {
    const entry = cachedEntry(services, kind.family, ref);
    if (entry === undefined) services.cache.unreadable.refuse(kind, ref);
    return entry;
  };
  const waiting = catchUp(services, caller);
  return waiting === undefined ? found() : waiting.then(found);
}
