/** The contract of an informer: a cache of a resource that follows the server, with indexes and handlers. */

import type { AnyObject, ResourceAddress, ServedKind } from "../contract.ts";

/**
 * Objects are shared and must not be changed: copy one with `structuredClone` before writing it. Inside the process of
 * a server they are decoded from its entries when they are read, so two reads may give two equal objects: compare uids and
 * resourceVersions. Reading many costs time; an index or `select` finds the few.
 */
export interface Informer<T extends AnyObject> {
  readonly address: ResourceAddress;
  /** Resolves when the copy is complete for the first time. Never rejects; stays open when the informer is closed before. */
  readonly synced: Promise<void>;
  hasSynced(): boolean;
  /** By key: "namespace/name", or "name" of cluster-wide kinds. */
  get(key: string): T | undefined;
  /** Absent: of all namespaces. */
  list(namespace?: string): readonly T[];
  /** Those that a selector of labels matches; the others are not decoded. Absent namespace: of all. */
  select(namespace: string | undefined, selector: LabelMatcher): readonly T[];
  /** Objects by the values that `valuesOf` returns for each; the same name gives the same index. Kept up to date from now on. */
  index(name: string, valuesOf: (object: T) => readonly string[]): Index<T>;
  /**
   * Calls `handler` for every object that is there, then for every change, in order. The copy already has the new state
   * when a handler is called. The returned function ends it.
   */
  on(handler: InformerHandler<T>): () => void;
}

export interface LabelMatcher {
  matches(labels: ReadonlyMap<string, string>): boolean;
}

export interface Index<T> {
  get(value: string): readonly T[];
  /** Those of them that a selector of labels matches; the others are not decoded. */
  select(value: string, selector: LabelMatcher): readonly T[];
  /** How many objects have the value; none of them is decoded. */
  count(value: string): number;
  /** One of them; the others are not decoded. */
  first(value: string): T | undefined;
  /** All values that some object has. */
  values(): readonly string[];
}

export interface InformerHandler<T> {
  add?(object: T): void;
  /** Also called by a resync with the same object twice; compare resourceVersion to recognise that. */
  update?(object: T, old: T): void;
  /** The last known state; it may be older than the deletion when the watch was interrupted. */
  delete?(object: T): void;
  /**
   * The resource cannot be read: the caller lacks the right, the server does not have it, or is away for some time. Called once
   * until it can be read again. The copy stays as it is, and the informer goes on trying.
   */
  error?(error: unknown): void;
}

/** Informers of one client, one for each resource (and selection), shared. `await using` closes them at the end of the block. */
export interface Informers extends AsyncDisposable {
  /** Starts it on first use. */
  of<T extends AnyObject>(kind: ServedKind<T>, selection?: InformerSelection): Informer<T>;
  /** Of a resource that has no declaration; the caller knows what its objects are. */
  at<T extends AnyObject>(address: ResourceAddress): Informer<T>;
  /** Metadata alone. */
  metadata(address: ResourceAddress): Informer<AnyObject>;
  /** An object in a running informer; undefined: no informer follows the resource, or the object does not exist. */
  peek(address: ResourceAddress, key: string): AnyObject | undefined;
  /** Ends all of them. */
  close(): Promise<void>;
}

/** Which objects are followed. Absent: all. */
export interface InformerSelection {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}
