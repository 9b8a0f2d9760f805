/** An object as the registry keeps it, and its reference. */

import type { Steps } from "../../base/time-slice.ts";
import type { BoundKind, Family } from "../../machinery/schema/catalog.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";

/**
 * An object as it is kept: bytes first, parsed only on demand. Immutable and shared by all readers.
 *
 * `bytes` is JSON of the version in which it is stored and starts `{"apiVersion":"v1","kind":"Pod","metadata":{"resourceVersion":"7",`.
 * A list prints items without kind and apiVersion: `{` and the bytes from `itemOffset` on.
 */
export interface Entry<T = ApiObject> {
  readonly family: Family;
  /** The version of `bytes`: the family's stored one, or another one in which the object was stored before. */
  readonly version: BoundKind;
  readonly namespace: string;
  readonly name: string;
  readonly revision: bigint;
  /** Joined on demand where the cache holds a part of them once for many objects; `length` and `copyTo` need not join them. */
  readonly bytes: Buffer;
  /** The number of `bytes`. */
  readonly length: number;
  readonly itemOffset: number;
  /** Whether it is shown without the defaults of its definition, because they would make it too large. */
  readonly lacksDefaults?: boolean;
  /** Writes the bytes from `start` on, which is at most `itemOffset`, to `target` at the position `at`; returns where they end. */
  copyTo(target: Buffer, at: number, start: number): number;
  readonly labels: ReadonlyMap<string, string>;
  /** Selectable fields by path, metadata.name and metadata.namespace included. */
  readonly fields: ReadonlyMap<string, string>;
  /** Deeply frozen, and parsed on first use. In the version of `bytes`, unless it was peeked at or observed in another version. */
  object(): T;
  /** Loads in steps an object that may be large. */
  load(): Steps<T>;
  /** Another representation of the object (another version, protobuf, a table row), made once and cached with the entry. */
  representation<R>(name: string, make: (entry: Entry) => R): R;
  /** A representation that was made before and is still cached. */
  remembered<R>(name: string): R | undefined;
}

export interface ObjectRef {
  /** "" for cluster-wide kinds. */
  readonly namespace: string;
  readonly name: string;
}
