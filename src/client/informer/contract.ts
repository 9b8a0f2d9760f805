/** The contract of an informer: a cache of a resource that follows the server, with indexes and handlers. */

import type { AnyObject, KindTraits, ResourceAddress, ServedKind, Stored } from "../contract.ts";

/**
 * Objects are shared and must not be changed: copy one with `structuredClone` before writing it. Inside the process of
 * a server they are decoded from its entries when they are read, so two reads may give two equal objects: compare uids and
 * resourceVersions. Reading many costs time; an index or `select` finds the few.
 * @example
 * const pods = informers.of(Pod);
 * await pods.synced;
 * console.log(pods.list("shop").length, pods.get("shop/web"));
 */
export interface Informer<T extends AnyObject> extends AsyncIterable<ObjectChange<T>> {
  readonly address: ResourceAddress;
  /**
   * Resolves when the copy is complete for the first time. Rejects when the server refuses the question as such, because of a selector for
   * example: trying again does not help then. Stays open while the resource cannot be read otherwise, and when the informer is closed before.
   */
  readonly synced: Promise<void>;
  hasSynced(): boolean;
  /** By key: "namespace/name", or "name" of cluster-wide kinds; of all workspaces "workspace|namespace/name". */
  get(key: string): T | undefined;
  /** Those of a namespace, and that a selector of labels matches: `list({ selector: "app=web" })`. Absent: of all namespaces. */
  list(which?: string | ListedObjects): readonly T[];
  /** Those that a selector of labels matches; the others are not decoded. Absent namespace: of all. */
  select(namespace: string | undefined, selector: LabelMatcher): readonly T[];
  /** Objects by the values that `valuesOf` returns for each; the same name gives the same index. Kept up to date from now on. */
  index(name: string, valuesOf: (object: T) => readonly string[]): Index<T>;
  /**
   * Calls `handler` for every object that is there, then for every change, in order. The copy already has the new state
   * when a handler is called. The returned function ends it.
   */
  on(handler: InformerHandler<T>): () => void;
  /**
   * The objects that are there as additions, then every change, until the signal aborts, the informers are closed, or the server refuses the question,
   * which throws. A slow reader gets what happened to one object meanwhile as one change. `for await (const change of informer)` is the same
   * without a signal.
   * @example
   * for await (const { type, object } of pods.changes({ signal })) console.log(type, object.metadata.name);
   */
  changes(options?: { readonly signal?: AbortSignal | undefined }): AsyncIterable<ObjectChange<T>>;
}

/**
 * What happened to an object in the copy of an informer.
 * @example
 * for await (const change of pods) if (change.type === "update") console.log(change.old.metadata.resourceVersion);
 */
export type ObjectChange<T> =
  | { readonly type: "add"; readonly object: T }
  | { readonly type: "update"; readonly object: T; readonly old: T }
  | { readonly type: "delete"; readonly object: T };

/**
 * Which objects of the copy are listed.
 * @example
 * pods.list({ namespace: "shop", selector: "app=web" });
 */
export interface ListedObjects {
  readonly namespace?: string | undefined;
  /** A selector of labels: "app=web,tier!=test". */
  readonly selector?: string | undefined;
}

/**
 * Which labels are wanted.
 * @example
 * const all: LabelMatcher = { matches: (labels) => labels.has("app") };
 */
export interface LabelMatcher {
  matches(labels: ReadonlyMap<string, string>): boolean;
}

/**
 * Objects of an informer by a value that each of them has.
 * @example
 * const byNode: Index<Pod> = pods.index("node", (pod) => (pod.spec?.nodeName ? [pod.spec.nodeName] : []));
 */
export interface Index<T> {
  get(value: string): readonly T[];
  /** Those of them that a selector of labels matches; the others are not decoded. */
  select(value: string, selector: LabelMatcher): readonly T[];
  /** As `select`, of the objects that have the value now; each is decoded when it is read, as it is then. */
  each(value: string, selector?: LabelMatcher): Iterable<T>;
  /** How many objects have the value; none of them is decoded. */
  count(value: string): number;
  /** One of them; the others are not decoded. */
  first(value: string): T | undefined;
  /** All values that some object has. */
  values(): readonly string[];
}

/**
 * What is called for the objects of an informer.
 * @example
 * pods.on({ add: (pod) => console.log(pod.metadata.name), delete: () => {} });
 */
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

/**
 * Informers of one client, one for each resource (and selection), shared. `await using` closes them at the end of the block.
 * @example
 * await using informers = client.informers();
 */
export interface Informers extends AsyncDisposable {
  /** Starts it on first use. */
  of<T extends AnyObject, K extends KindTraits = KindTraits>(
    kind: ServedKind<T, K>,
    selection?: InformerSelection,
  ): Informer<Stored<T, K>>;
  /** Of a resource that has no declaration; the caller knows what its objects are. */
  at<T extends AnyObject>(address: ResourceAddress): Informer<T>;
  /** Metadata alone. */
  metadata(address: ResourceAddress): Informer<AnyObject>;
  /** An object in a running informer; undefined: no informer follows the resource, or the object does not exist. */
  peek(address: ResourceAddress, key: string): AnyObject | undefined;
  /** Ends all of them. */
  close(): Promise<void>;
}

/**
 * Which objects are followed. Absent: all.
 * @example
 * const mine = informers.of(Pod, { namespace: "shop", labelSelector: "app=web" });
 */
export interface InformerSelection {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}
