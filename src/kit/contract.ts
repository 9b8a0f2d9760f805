/** The contract of `orch/client`: a connected client, and the calls of one resource. */

import type { TokenRequest } from "../api/authentication/v1/token-request.ts";
import type { Scale } from "../api/autoscaling/v1/scale.ts";
import type { Eviction } from "../api/policy/v1beta1/eviction.ts";
import type {
  AnyObject,
  DeleteOptions,
  Fetch,
  ListQuery,
  ObjectList,
  PatchOptions,
  Ref,
  ResourceAddress,
  ServedKind,
  WatchEvent,
  WatchQuery,
  WriteOptions,
} from "../client/contract.ts";
import type { Discovery } from "../client/discovery/discovery.ts";
import type { Informers } from "../client/informer/contract.ts";
import type { ApiObject } from "../machinery/schema/kind.ts";

/**
 * Which object: "namespace/name" or "name", its parts, or the object itself. Where a namespaced kind has no namespace, that of the
 * client is meant.
 */
export type Target = string | Ref | AnyObject;

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

/** Any part of an object: what `apply` takes. Items of lists are whole. */
export type Part<T> = T extends readonly unknown[] ? T : T extends object ? { [K in keyof T]?: Part<T[K]> } : T;

/** The fields that the caller wants to own, and the name of the object. */
export type Applied<T extends AnyObject> = Part<Omit<T, "metadata">> & { readonly metadata: T["metadata"] };

export interface ApplyOptions extends CallOptions {
  /** Who owns the fields. */
  readonly manager: string;
  /** Whether to take over fields of other managers; otherwise they are a conflict. Default: false. */
  readonly force?: boolean | undefined;
  readonly dryRun?: boolean | undefined;
}

/** The objects of a list, read in chunks as they are needed: `for await (const pod of pods.list())`. */
export interface Listing<T> extends AsyncIterable<T> {
  /** All of them with the resourceVersion of the list; starts again when a chunk has expired. */
  all(): Promise<ObjectList<T>>;
}

/**
 * The calls of one resource. A refusal is a StatusError; `isNotFound` and its like tell which. A request is sent again when the
 * server asks for it (429 and server errors with Retry-After), after the time it names.
 */
export interface Resource<T extends AnyObject> {
  readonly address: ResourceAddress;
  get(target: Target, options?: CallOptions): Promise<T>;
  /** Undefined: the object does not exist. */
  find(target: Target, options?: CallOptions): Promise<T | undefined>;
  /** Absent namespace: of all namespaces. */
  list(query?: ListQuery): Listing<T>;
  /** Events until the server ends the watch or the signal aborts. An informer goes on by itself. */
  watch(query?: WatchQuery): AsyncIterable<WatchEvent<T>>;
  create(object: T, options?: WriteOptions): Promise<T>;
  /** Replaces the object; a resourceVersion in it must still be the current one. */
  update(object: T, options?: WriteOptions): Promise<T>;
  /** `type`: "merge" (default), "json" or "strategic". */
  patch(target: Target, patch: unknown, options?: PatchOptions): Promise<T>;
  /** Creates the object, or makes the given fields what they should be. */
  apply(object: Applied<T>, options: ApplyOptions): Promise<T>;
  /** Resolves when the server has accepted it; finalizers may keep the object. */
  delete(target: Target, options?: DeleteOptions): Promise<void>;
  deleteCollection(query: ListQuery, options?: DeleteOptions): Promise<void>;
  readonly status: StatusCalls<T>;
  readonly scale: ScaleCalls;
  /** Deletes a pod unless a disruption budget forbids that (429 TooManyRequests). */
  evict(target: Target, options?: CallOptions & Pick<Eviction, "deleteOptions">): Promise<void>;
  /** A token of a service account. */
  token(target: Target, spec?: Partial<TokenRequest["spec"]>, options?: CallOptions): Promise<TokenRequest>;
  /** Any other path under the object; a missing body makes a GET. */
  subresource<R>(
    target: Target,
    name: string,
    body?: unknown,
    options?: CallOptions & { readonly method?: "PUT" | "POST" },
  ): Promise<R>;
}

export interface StatusCalls<T extends AnyObject> {
  get(target: Target, options?: CallOptions): Promise<T>;
  update(object: T, options?: WriteOptions): Promise<T>;
  patch(target: Target, patch: unknown, options?: PatchOptions): Promise<T>;
  apply(object: Applied<T>, options: ApplyOptions): Promise<T>;
}

export interface ScaleCalls {
  get(target: Target, options?: CallOptions): Promise<Scale>;
  /** Sets the number of replicas, whatever else changes meanwhile. */
  set(target: Target, replicas: number, options?: WriteOptions): Promise<Scale>;
}

/** A resource by its names, for kinds that the program does not know. */
export interface ResourceName {
  /** As the server says it; "" for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
}

export interface InformerOptions {
  /**
   * After how much silence a connection counts as broken and is opened again. Servers send bookmarks about every minute. Default:
   * 120 s.
   */
  readonly stalledAfterMs?: number | undefined;
  /**
   * Only objects of this namespace are read, where kinds have namespaces and a selection names none: for programs that have rights in
   * one namespace. Default: all namespaces.
   */
  readonly namespace?: string | undefined;
}

/** A client of one server as one user. `using client = await connect()` closes it at the end of the block. */
export interface Client extends Disposable {
  /** The names that the server speaks. */
  readonly vocabulary: "orch" | "kubernetes";
  /** The namespace where none is named: that of the configuration, otherwise "default". */
  readonly namespace: string;
  readonly userAgent: string;
  /** Requests as they are, with the credentials of the client. */
  readonly fetch: Fetch;
  of<T extends AnyObject>(kind: ServedKind<T>): Resource<T>;
  /** Asks the server about the resource, and rejects with NotFound if it does not serve it. */
  resource(name: ResourceName): Promise<Resource<ApiObject>>;
  /** Informers that share one copy of each resource. The caller closes them. */
  informers(options?: InformerOptions): Informers;
  discover(): Promise<Discovery>;
  /** Closes idle connections. */
  close(): void;
}
