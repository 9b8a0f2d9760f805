/** Strategies: what a kind does beyond its own object; sources of objects that are not stored; claims and leases that servers share. */

import type { User } from "../../machinery/meta/user.ts";
import type { Family } from "../../machinery/schema/catalog.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import type { Registry } from "./registry.ts";

/**
 * What a kind does beyond its own object: allocates what the object needs before it is stored and frees it
 * when the object is gone. By the identity of the family; `allocators/` has one for each.
 */
export interface Allocator {
  /** Called with a valid object that is about to be stored; may set fields of it, and refuses by throwing. */
  begin(write: AllocationWrite): Promise<AllocationAttempt>;
  /** The object is gone from the store. Calling it again, or for an object that was never stored, does nothing. */
  end(object: ApiObject): Promise<void>;
}

export interface AllocationWrite {
  readonly family: Family;
  /** An object of the hub version, ours to change. */
  readonly object: ApiObject;
  /** Frozen. Undefined: the object is new. */
  readonly old: ApiObject | undefined;
  /** Nothing will be stored, so nothing may be allocated. */
  readonly dryRun: boolean;
}

/** One of the two is called, once. Neither is called if it is unknown whether the write happened. */
export interface AllocationAttempt {
  stored(): Promise<void>;
  failed(): Promise<void>;
}

/**
 * Makes the objects of a family that is not stored: they are new for every reader, and cannot be written. They have no version,
 * and cannot be watched, unless the source has `watch`. By the identity of the family; `allocators/` has them.
 */
export interface VirtualSource {
  /** All of them, in the hub version, in any order; the registry selects, and fills in absent fields. Absent: there is `page`. */
  objects?(registry: Registry): Promise<readonly ApiObject[]>;
  /** For more objects than a list can have, or other ones for each user: answers a query itself. Absent: there is `objects`. */
  page?(query: VirtualQuery): Promise<VirtualPage>;
  /**
   * For objects that appear one after the other and never change: those that appeared after `since`, in their order and in batches
   * that follow each other without a gap, until the signal aborts. Their resourceVersions are revisions of the store.
   */
  watch?(query: VirtualWatchQuery): AsyncIterable<VirtualBatch>;
}

export interface VirtualWatchQuery extends Pick<VirtualQuery, "namespace" | "fields" | "user"> {
  /** Undefined: all that there are come first. */
  readonly since: bigint | undefined;
  readonly signal: AbortSignal;
}

export interface VirtualBatch {
  readonly objects: readonly ApiObject[];
  /** All that appeared up to this revision has been told. */
  readonly reached: bigint;
  /** With this batch all that were there when the watch began have been told. */
  readonly endsInitial?: boolean;
}

export interface VirtualQuery {
  /** "": all. */
  readonly namespace: string;
  /** The field selector; the source refuses fields that it does not know. */
  readonly fields: readonly { readonly path: string; readonly operator: "=" | "!="; readonly value: string }[];
  /** 0: none. A source may return less. */
  readonly limit: number;
  /** What the page before ended with; "": the first page. */
  readonly after: string;
  /** Objects that appeared later are left out; undefined: nothing is. Only for sources with versions. */
  readonly revision?: bigint | undefined;
  /** Undefined: it is not known, and nobody's. */
  readonly user: User | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Objects in the hub version, in the order in which they are shown. */
export interface VirtualPage {
  readonly objects: readonly ApiObject[];
  /** "": nothing follows. */
  readonly after: string;
}

/** Names that one object at a time may hold, whichever server on the store writes it. */
export interface NameClaims {
  /**
   * False: it is taken, possibly by the same holder. Of two writes of one object only the one that took a name may free it
   * when it fails.
   */
  take(pool: string, name: string, holder: string): Promise<boolean>;
  /** Does nothing unless `holder` has it. */
  free(pool: string, name: string, holder: string): Promise<void>;
  /** All taken names of a pool. `revision` distinguishes a claim from a later one of the same name. */
  held(pool: string): Promise<ReadonlyMap<string, { readonly holder: string; readonly revision: bigint }>>;
}

/** Leases of server addresses: how servers of one store know which of them are alive. */
export interface AddressLeases {
  renew(address: string): Promise<void>;
  /** Does nothing if there is no lease. */
  end(address: string): Promise<void>;
  /** The addresses whose lease was renewed recently, sorted. */
  living(): Promise<readonly string[]>;
}
