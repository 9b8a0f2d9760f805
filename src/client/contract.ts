/** The contract of clients of a server: how requests are sent, and the calls of one resource. */

import type { Steps } from "../base/time-slice.ts";
import type { JsonObject } from "../machinery/json/json-value.ts";
import type { PatchType } from "../machinery/patch/media-types.ts";
import type { ApiObject, Scope } from "../machinery/schema/kind.ts";
import type { ObjectMeta } from "../machinery/schema/object-meta.ts";
import type { Vocabulary } from "../vocabulary/vocabulary.ts";
import type { Discovery } from "./discovery/discovery.ts";

/**
 * One request, as the global fetch takes it, with a path in place of a URL. Inside the process or over HTTPS.
 * @example
 * const fetch: Fetch = (path, init) => globalThis.fetch(`http://127.0.0.1:8001${path}`, init);
 */
export type Fetch = (path: string, init?: RequestInit) => Promise<FetchResponse>;

/**
 * What clients need of a Response.
 * @example
 * const answer: FetchResponse = await client.fetch("/version");
 */
export interface FetchResponse {
  readonly status: number;
  /** Whether the status is one of success, 2xx. */
  readonly ok: boolean;
  readonly headers: ReceivedHeaders;
  readonly body: ReadableStream<Uint8Array> | null;
  text(): Promise<string>;
  json(): Promise<unknown>;
}

/**
 * Names without regard to case; several headers of one name are one value with commas.
 * @example
 * console.log((await client.fetch("/version")).headers.get("content-type"));
 */
export interface ReceivedHeaders {
  get(name: string): string | null;
  has(name: string): boolean;
}

/**
 * The members that every object has. Objects are plain JSON in the server's vocabulary.
 * @example
 * const keyOf = ({ metadata }: AnyObject) => `${metadata.namespace}/${metadata.name}`;
 */
export interface AnyObject {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
}

/**
 * Which object. Cluster-wide kinds have no namespace; absent and "" are the same.
 * @example
 * const ref: Ref = { namespace: "shop", name: "prices" };
 */
export interface Ref {
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** Which object of which resource. */
export interface ObjectAddress extends Ref {
  readonly resource: ResourceAddress;
}

/**
 * Where a resource is served, in the server's vocabulary.
 * @example
 * console.log(client.of(Pod).address.resource); // "pods"
 */
export interface ResourceAddress {
  /** "" for the core group. */
  readonly group: string;
  readonly version: string;
  /** The plural name of paths: "leases". */
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

/**
 * What the type checker knows of a kind beside its objects.
 * @example
 * const first = async <T extends AnyObject, K extends KindTraits>(kind: ServedKind<T, K>) => (await client.of(kind).list().all()).items[0];
 */
export interface KindTraits {
  readonly scope: Scope;
  /** The paths under its objects: "status" | "scale". */
  readonly paths: string;
  /** Whether the server keeps its objects; it answers reviews and forgets them. */
  readonly isStored: boolean;
  /** Objects as they may be sent, where some members have a default; never: as they are read. */
  readonly written: unknown;
}

/**
 * Of a kind of which nothing more is known: only what all have.
 * @example
 * type Bare = Resource<ConfigMap, BareTraits>; // the same as Resource<ConfigMap>
 */
export interface BareTraits {
  readonly scope: Scope;
  readonly paths: never;
  readonly isStored: true;
  readonly written: never;
}

/**
 * Of a kind whose objects are in namespaces. `P`: the paths under them.
 * @example
 * const Toy: ServedKind<Toy, Namespaced<"status">> = { group: "example.com", version: "v1", kind: "Toy", resource: "toys", scope: "Namespaced" };
 */
export interface Namespaced<P extends string = never, W = never> {
  readonly scope: "Namespaced";
  readonly paths: P;
  readonly isStored: true;
  readonly written: W;
}

/**
 * Of a kind without namespaces. `P`: the paths under its objects.
 * @example
 * const Zone: ServedKind<Zone, ClusterWide<"status">> = { group: "example.com", version: "v1", kind: "Zone", resource: "zones", scope: "Cluster" };
 */
export interface ClusterWide<P extends string = never, W = never> {
  readonly scope: "Cluster";
  readonly paths: P;
  readonly isStored: true;
  readonly written: W;
}

/**
 * Of a kind whose objects are answered and not kept.
 * @example
 * type Review = ServedKind<SubjectAccessReview, Answered>;
 */
export interface Answered<S extends Scope = Scope> {
  readonly scope: S;
  readonly paths: never;
  readonly isStored: false;
  readonly written: never;
}

/**
 * What the metadata of an object has that a server answered.
 * @example
 * const { uid, resourceVersion }: StoredMetadata = (await client.of(Pod).get("web")).metadata;
 */
export interface StoredMetadata {
  name: string;
  uid: string;
  resourceVersion: string;
  creationTimestamp: string;
}

/**
 * An object as a server answers it: its type, name, uid, resourceVersion, creationTimestamp, and namespace if its kind has namespaces, are
 * there.
 * @example
 * const print = (pod: Stored<Pod>) => console.log(pod.metadata.uid);
 */
export type Stored<T, K extends KindTraits = BareTraits> = K["isStored"] extends false
  ? T
  : T & {
      apiVersion: string;
      kind: string;
      metadata: StoredMetadata & (K["scope"] extends "Namespaced" ? { namespace: string } : unknown);
    };

/**
 * An object as a program may send it: as it is read, or without the members that have a default.
 * @example
 * const add = <T extends AnyObject, K extends KindTraits>(kind: ServedKind<T, K>, object: SentObject<T, K>) => client.of(kind).create(object);
 */
export type SentObject<T, K extends KindTraits> = T | (unknown extends K["written"] ? never : K["written"]);

/**
 * What a client must know of a kind: its names. Declared kinds have them, and so do those that a program defines itself.
 * @example
 * const Toy: ServedKind<Toy> = { group: "example.com", version: "v1", kind: "Toy", resource: "toys", scope: "Namespaced" };
 */
export interface ServedKind<T = unknown, K extends KindTraits = KindTraits> {
  /** In orch's names ("coordination.orch.io"), which the vocabulary of the server renames; "" for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** The plural name of paths: "leases". */
  readonly resource: string;
  readonly scope: K["scope"];
  /** Only for the type checker; never set. */
  readonly static?: T;
  /** Only for the type checker; never set. */
  readonly traits?: K;
}

/**
 * The objects of a kind as a program sends them: members that have a default may be absent.
 * @example
 * const wanted: Sent<typeof Widget> = { metadata: { name: "one" }, spec: {} };
 */
export type Sent<Of extends ServedKind> = Of extends ServedKind<infer T, infer K> ? SentObject<T, K> : never;

/**
 * Which objects a list has.
 * @example
 * const query: ListQuery = { namespace: "shop", labelSelector: "app=web" };
 */
export interface ListQuery {
  /** Absent: all namespaces. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  /** An expression that must be true of an object, `self`: `self.spec.replicas > 3`. QuestionsUnknown where a server ignores it. */
  readonly where?: string | undefined;
  /** Fields to sort a list by: "spec.replicas desc, metadata.name". Absent: by namespace and name. */
  readonly orderBy?: string | undefined;
  /** How many objects one answer has; a list that is read whole comes in chunks of so many. Absent: 500 there, otherwise all; 0: all. */
  readonly limit?: number | undefined;
  /** Where a list goes on that ended with this. */
  readonly continue?: string | undefined;
  /** "0": any state will do; absent: the newest. */
  readonly resourceVersion?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The objects of a list, and the state that they show.
 * @example
 * const { items, resourceVersion }: ObjectList<Pod> = await client.of(Pod).list().all();
 */
export interface ObjectList<T> {
  readonly items: T[];
  readonly resourceVersion: string;
  /** "": that was all. */
  readonly continue: string;
}

/**
 * Which objects a watch is about, and from which state on.
 * @example
 * const query: WatchQuery = { resourceVersion, bookmarks: true, signal };
 */
export interface WatchQuery extends ListQuery {
  /** After how long the server ends the watch; absent: the server decides. */
  readonly timeoutSeconds?: number | undefined;
  readonly bookmarks?: boolean | undefined;
  /** Whether the state comes first, as ADDED events that a bookmark ends; for servers with watch lists, others refuse it. */
  readonly sendInitialEvents?: boolean | undefined;
}

/** A BOOKMARK carries metadata.resourceVersion alone. */
export interface WatchEvent<T> {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK";
  readonly object: T;
}

export interface WriteOptions {
  readonly dryRun?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Absent: the client's user agent decides. */
  readonly fieldManager?: string | undefined;
  /** What a server does about fields that it does not know; absent: it decides. For servers since 1.25, others ignore it. */
  readonly fieldValidation?: FieldValidation | undefined;
  /** Why a controller writes, for its log; it is not sent. Absent: derived from the write. */
  readonly reason?: string | undefined;
  /** The caller does not use the answer: a success is not parsed, and the call resolves with what was sent. */
  readonly ignoresAnswer?: boolean | undefined;
  /** What made the caller write, for servers that keep a history: "replicaset shop/web". */
  readonly cause?: string | undefined;
}

/**
 * Strict: it refuses them; Warn: it warns; Ignore: it drops them.
 * @example
 * await pods.create(pod, { fieldValidation: "Strict" });
 */
export type FieldValidation = "Strict" | "Warn" | "Ignore";

/** `subresource`: "status", "scale"; absent: the object itself. */
export interface SubresourceOption {
  readonly subresource?: string | undefined;
}

export interface PatchOptions extends WriteOptions, SubresourceOption {
  /** Default: "merge". */
  readonly type?: PatchType | undefined;
  /** In an apply: whether to take over fields of others. */
  readonly force?: boolean | undefined;
}

export interface DeleteOptions extends WriteOptions {
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly propagationPolicy?: "Background" | "Foreground" | "Orphan" | undefined;
  readonly gracePeriodSeconds?: number | undefined;
}

/**
 * All calls of one resource. A refusal is a StatusError (`machinery/status/status.ts`), distinguished by its `reason`:
 * NotFound, AlreadyExists, Conflict, Invalid, Expired, TooManyRequests. An answer that is not of the resource's kind is an
 * UnexpectedAnswer. The namespace of a write is the object's own.
 */
export interface ResourceClient<T> {
  readonly address: ResourceAddress;
  get(ref: Ref, options?: SubresourceOption & { readonly signal?: AbortSignal | undefined }): Promise<T>;
  list(query?: ListQuery): Promise<ObjectList<T>>;
  /** The whole list, read in chunks; starts again when a chunk has expired. */
  listAll(query?: ListQuery): Promise<ObjectList<T>>;
  /** The items of the list, read in chunks as they are needed. A chunk that has expired is a StatusError. */
  items(query?: ListQuery): AsyncIterable<T>;
  /** kind and apiVersion may be omitted. */
  create(object: T, options?: WriteOptions): Promise<T>;
  /** Replaces the object; a resourceVersion in it must still be the current one. */
  update(object: T, options?: WriteOptions & SubresourceOption): Promise<T>;
  updateStatus(object: T, options?: WriteOptions): Promise<T>;
  patch(ref: Ref, patch: unknown, options?: PatchOptions): Promise<T>;
  /** A patch of the type "apply", and whether it created the object. */
  apply(
    ref: Ref,
    object: unknown,
    options?: Omit<PatchOptions, "type">,
  ): Promise<{ readonly object: T; readonly isCreated: boolean }>;
  /**
   * Resolves when the server has accepted it, with the object or with a Status whose details name it; finalizers may keep the
   * object.
   */
  delete(ref: Ref, options?: DeleteOptions): Promise<JsonObject>;
  deleteCollection(query: ListQuery, options?: DeleteOptions): Promise<void>;
  /** Events until the server ends the watch or `signal` aborts; neither is an error. An ERROR event is a StatusError. */
  watch(query?: WatchQuery): AsyncIterable<WatchEvent<T>>;
  /** A path under the object ("approval", "scale", "finalize"); a missing body makes a GET. */
  subresource<R = unknown>(
    ref: Ref,
    name: string,
    body?: unknown,
    method?: "PUT" | "POST",
    options?: Pick<WriteOptions, "signal" | "cause">,
  ): Promise<R>;
}

/**
 * One object in the cache of an informer. A server in the same process shares the entries of its own cache, so that no second
 * copy is needed: objects are decoded when they are read.
 */
export interface CachedObject<T> {
  /** "" for cluster-wide kinds. */
  readonly namespace: string;
  readonly name: string;
  /** The resourceVersion, as text or as the number that it is. */
  readonly revision: bigint | string;
  readonly labels: ReadonlyMap<string, string>;
  /** The size of its JSON in bytes; absent: it is decoded already. */
  readonly length?: number;
  /** Must not be changed. */
  object(): T;
  /** Decodes in steps an object that may be large. */
  load?(): Steps<T>;
}

export interface CachedObjectEvent<T> {
  /** A BOOKMARK has no object. */
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK";
  readonly held?: CachedObject<T> | undefined;
  readonly resourceVersion: string;
  /** For a BOOKMARK: whether the events before it were the whole state. */
  readonly endsInitial?: boolean | undefined;
}

/** List and watch of one resource, over HTTPS or inside the process, with the same promises: see ResourceClient. */
export interface ListWatch<T> {
  readonly address: ResourceAddress;
  list(query?: ListQuery): Promise<ObjectList<CachedObject<T>>>;
  watch(query?: WatchQuery): AsyncIterable<CachedObjectEvent<T>>;
}

export interface DiscoveredResource extends ResourceAddress {
  readonly singularName: string;
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  /** "status", "scale". */
  readonly subresources: readonly string[];
}

/** Speaks to one server in its vocabulary. */
export interface Client {
  readonly vocabulary: Vocabulary;
  readonly fetch: Fetch;
  /** The resource of a declared kind. */
  of<T extends AnyObject>(kind: ServedKind<T>): ResourceClient<T>;
  /** A resource found by discovery. */
  at(address: ResourceAddress): ResourceClient<ApiObject>;
  /** Only metadata is sent. Writes take whole objects. */
  metadata(address: ResourceAddress): ResourceClient<AnyObject>;
  /** What informers follow. `part`: whether they need more than metadata. */
  listWatch(address: ResourceAddress, part: "whole" | "metadata"): ListWatch<ApiObject>;
  /** Which resources there are now. */
  discover(): Promise<Discovery>;
  addressOf(kind: ServedKind): ResourceAddress;
}

/** The type of a served resource as objects carry it. */
export interface ServedType {
  readonly apiVersion: string;
  readonly kind: string;
}

export const typeOf = ({ group, version, kind }: ResourceAddress): ServedType => ({
  apiVersion: group === "" ? version : `${group}/${version}`,
  kind,
});
