/** The contract of `orch/client`: a connected client, and the calls of one resource. */

import type { TokenRequest as TokenRequestObject } from "../api/authentication/v1/token-request.ts";
import type { Scale as ScaleObject } from "../api/autoscaling/v1/scale.ts";
import type { Eviction } from "../api/policy/v1beta1/eviction.ts";
import type { Clock } from "../base/clock.ts";
import type { FollowsWork } from "../base/queue/followed-work.ts";
import type {
  AnyObject,
  BareTraits,
  Fetch,
  FieldValidation,
  KindTraits,
  ListQuery,
  ObjectList,
  Ref,
  ResourceAddress,
  SentObject,
  ServedKind,
  Stored,
  WatchQuery,
} from "../client/contract.ts";
import type { Discovery } from "../client/discovery/discovery.ts";
import type { Informers } from "../client/informer/contract.ts";
import type { TransactionOperation } from "../client/requests/transactions.ts";
import type { Upgrade } from "../client/streams/contract.ts";
import type { PatchType } from "../machinery/patch/media-types.ts";
import type { ApiObject } from "../machinery/schema/kind.ts";
import type { AcrossWorkspaces } from "./in-workspace.ts";
import type { Part, Patch } from "./patch-types.ts";
import type { PodCalls } from "./pods/contract.ts";
import type { Traced } from "./tracing.ts";

/**
 * Which object: "namespace/name" or "name", its parts, or the object itself. Where a namespaced kind has no namespace, that of the
 * client is meant.
 * @example
 * const targets: Target[] = ["shop/web", "web", { namespace: "shop", name: "web" }, pod];
 */
export type Target = string | Ref | AnyObject;

/**
 * What every call takes.
 * @example
 * await maps.get("prices", { signal: AbortSignal.timeout(5_000) });
 */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

/**
 * The fields that the caller wants to own, and the name of the object.
 * @example
 * const wanted: Applied<ConfigMap> = { metadata: { name: "prices" }, data: { tea: "3" } };
 */
export type Applied<T extends AnyObject> = Part<Omit<T, "metadata">> & { readonly metadata: T["metadata"] };

/**
 * How an object is written.
 * @example
 * await maps.create(map, { dryRun: true, manager: "shop" });
 */
export interface WriteOptions extends CallOptions {
  /** Whether the server does everything but store the result. Default: false. */
  readonly dryRun?: boolean | undefined;
  /** Who owns the fields that the write sets. Default: the name of the program, from its user agent. */
  readonly manager?: string | undefined;
  /** What a server does about fields that it does not know; absent: it decides. For servers since 1.25, others ignore it. */
  readonly fieldValidation?: FieldValidation | undefined;
}

/**
 * The type of a patch, and how it is written.
 * @example
 * await pods.patch("web", steps, { type: "json", manager: "shop" });
 */
export interface PatchOptions<P extends PatchType = PatchType> extends WriteOptions {
  /** Default: "merge". */
  readonly type?: P | undefined;
  /** For the type "apply": whether to take over fields of other managers. Default: false. */
  readonly force?: boolean | undefined;
}

/**
 * As whom fields are owned, and what to do about those of others.
 * @example
 * await maps.apply(wanted, { manager: "shop", force: true });
 */
export interface ApplyOptions extends CallOptions {
  /** Who owns the fields. */
  readonly manager: string;
  /** Whether to take over fields of other managers; otherwise they are a conflict. Default: false. */
  readonly force?: boolean | undefined;
  readonly dryRun?: boolean | undefined;
}

/**
 * How an object is deleted.
 * @example
 * await pods.delete("web", { gracePeriodSeconds: 0, propagationPolicy: "Foreground" });
 */
export interface DeleteOptions extends CallOptions {
  readonly dryRun?: boolean | undefined;
  /** Only the object with this uid; otherwise it is a conflict. */
  readonly uid?: string | undefined;
  /** Only this state of the object; otherwise it is a conflict. */
  readonly resourceVersion?: string | undefined;
  /** What becomes of the objects that it owns. Default: what its kind has. */
  readonly propagationPolicy?: "Background" | "Foreground" | "Orphan" | undefined;
  readonly gracePeriodSeconds?: number | undefined;
}

/**
 * What happened to an object.
 * @example
 * for await (const { type, object } of maps.watch()) console.log(type, object.metadata.name);
 */
export interface ChangeEvent<T> {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: T;
}

/**
 * What a watch with bookmarks tells. A BOOKMARK says up to which resourceVersion it has told everything.
 * @example
 * for await (const event of maps.watch({ bookmarks: true })) if (event.type !== "BOOKMARK") console.log(event.object.data);
 */
export type WatchEvent<T> = ChangeEvent<T> | { readonly type: "BOOKMARK"; readonly object: Bookmark };

/**
 * All that a BOOKMARK has of an object.
 * @example
 * if (event.type === "BOOKMARK") resourceVersion = event.object.metadata.resourceVersion;
 */
export interface Bookmark {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly resourceVersion: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

/**
 * The objects of a list, read in chunks as they are needed: `for await (const pod of pods.list())`.
 * @example
 * for await (const pod of client.of(Pod).list({ namespace: "shop" })) console.log(pod.metadata.name);
 */
export interface Listing<T> extends AsyncIterable<T> {
  /** All of them with the resourceVersion of the list; starts again when a chunk has expired. */
  all(): Promise<ObjectList<T>>;
  /**
   * One chunk, as large as `limit` says; with its `continue` the next one can be asked for.
   * @example
   * const first = await maps.list({ limit: 50 }).page();
   * const second = await maps.list({ limit: 50, continue: first.continue }).page();
   */
  page(): Promise<ObjectList<T>>;
}

/**
 * The calls of one resource. A refusal is a StatusError; `isNotFound` and its like tell which. A request is sent again when the
 * server asks for it (429 and server errors with Retry-After), after the time it names. Which further calls there are depends on the
 * kind: `status` and `scale` where it has these paths, `logs` and `exec` of pods, `token` of service accounts.
 * @example
 * const maps: Resource<ConfigMap> = client.of(ConfigMap);
 */
export type Resource<T extends AnyObject, K extends KindTraits = BareTraits> = ResourceCalls<T, K> & PathCalls<T, K>;

/**
 * The calls that all resources have.
 * @example
 * const remove = async (resource: ResourceCalls<Pod>) => resource.delete("web");
 */
export interface ResourceCalls<T extends AnyObject, K extends KindTraits = BareTraits> {
  readonly address: ResourceAddress;
  get(target: Target, options?: CallOptions): Promise<Stored<T, K>>;
  /** Undefined: the object does not exist. */
  find(target: Target, options?: CallOptions): Promise<Stored<T, K> | undefined>;
  /** Absent namespace: of all namespaces. */
  list(query?: ListQuery): Listing<Stored<T, K>>;
  /** Events until the server ends the watch or the signal aborts. An informer goes on by itself. */
  watch(query?: WatchQuery & { readonly bookmarks?: false | undefined }): AsyncIterable<ChangeEvent<Stored<T, K>>>;
  /** With bookmarks, which have less than objects. */
  watch(query: WatchQuery): AsyncIterable<WatchEvent<Stored<T, K>>>;
  create(object: SentObject<T, K>, options?: WriteOptions): Promise<Stored<T, K>>;
  /** Replaces the object; a resourceVersion in it must still be the current one. */
  update(object: SentObject<T, K>, options?: WriteOptions): Promise<Stored<T, K>>;
  /** `type`: "merge" (default), "json", "strategic" or "apply". */
  patch<P extends PatchType = "merge">(
    target: Target,
    patch: Patch<T, P>,
    options?: PatchOptions<P>,
  ): Promise<Stored<T, K>>;
  /** Creates the object, or makes the given fields what they should be. */
  apply(object: Applied<T>, options: ApplyOptions): Promise<Stored<T, K>>;
  /** Resolves when the server has accepted it; finalizers may keep the object. */
  delete(target: Target, options?: DeleteOptions): Promise<void>;
  deleteCollection(query: ListQuery, options?: DeleteOptions): Promise<void>;
  /** Any other path under the object; a missing body makes a GET. */
  subresource<R>(
    target: Target,
    name: string,
    body?: unknown,
    options?: CallOptions & { readonly method?: "PUT" | "POST" },
  ): Promise<R>;
}

/**
 * The calls of the paths that a kind has.
 * @example
 * await client.of(Deployment).scale.set("web", 3);
 */
export type PathCalls<T extends AnyObject, K extends KindTraits> = ("status" extends K["paths"]
  ? { readonly status: StatusCalls<T, K> }
  : unknown) &
  ("scale" extends K["paths"] ? { readonly scale: ScaleCalls } : unknown) &
  ("log" extends K["paths"] ? PodCalls<Target> & EvictionCalls : unknown) &
  ("token" extends K["paths"] ? TokenCalls : unknown);

/**
 * The number of replicas of an object, and how many there are.
 * @example
 * const scale: Scale = await client.of(Deployment).scale.get("web");
 */
export interface Scale extends ScaleObject {}

/**
 * A token of a service account, and how it was requested.
 * @example
 * const { status }: TokenRequest = await client.of(ServiceAccount).token("robot");
 */
export interface TokenRequest extends TokenRequestObject {}

/**
 * The call that evicts a pod.
 * @example
 * await client.of(Pod).evict("web-1");
 */
export interface EvictionCalls {
  /** Deletes a pod unless a disruption budget forbids that (429 TooManyRequests). */
  evict(target: Target, options?: CallOptions & Pick<Eviction, "deleteOptions">): Promise<void>;
}

/**
 * The call that makes tokens of a service account.
 * @example
 * const { status } = await client.of(ServiceAccount).token("robot", { expirationSeconds: 600 });
 */
export interface TokenCalls {
  /** A token of a service account. */
  token(target: Target, spec?: Partial<TokenRequest["spec"]>, options?: CallOptions): Promise<TokenRequest>;
}

/**
 * The calls of kinds whose status is written through a path of its own.
 * @example
 * await client.of(Widget).status.patch("one", { status: { ready: 1 } });
 */
export interface StatusCalls<T extends AnyObject, K extends KindTraits = BareTraits> {
  get(target: Target, options?: CallOptions): Promise<Stored<T, K>>;
  update(object: SentObject<T, K>, options?: WriteOptions): Promise<Stored<T, K>>;
  patch<P extends PatchType = "merge">(
    target: Target,
    patch: Patch<T, P>,
    options?: PatchOptions<P>,
  ): Promise<Stored<T, K>>;
  apply(object: Applied<T>, options: ApplyOptions): Promise<Stored<T, K>>;
}

/**
 * The calls of kinds that have a number of replicas.
 * @example
 * await client.of(Deployment).scale.set("web", 3);
 */
export interface ScaleCalls {
  get(target: Target, options?: CallOptions): Promise<Scale>;
  /** Sets the number of replicas, whatever else changes meanwhile. */
  set(target: Target, replicas: number, options?: WriteOptions): Promise<Scale>;
}

/**
 * A resource by its names, for kinds that the program does not know.
 * @example
 * const widgets = await client.resource({ group: "example.com", version: "v1", resource: "widgets" });
 */
export interface ResourceName {
  /** As the server says it; "" for the core group. */
  readonly group: string;
  readonly version: string;
  /** The name in paths: "pods". */
  readonly resource: string;
}

/**
 * An object of a kind that the program does not know. The server is asked where it is served when the first call is made.
 * @example
 * await client.object(manifest).apply({ manager: "deploy" });
 */
export interface UntypedObject {
  get(options?: CallOptions): Promise<Stored<ApiObject>>;
  /** Undefined: the object does not exist. */
  find(options?: CallOptions): Promise<Stored<ApiObject> | undefined>;
  create(options?: WriteOptions): Promise<Stored<ApiObject>>;
  update(options?: WriteOptions): Promise<Stored<ApiObject>>;
  /** Creates the object, or makes its fields those that were given. */
  apply(options: ApplyOptions): Promise<Stored<ApiObject>>;
  patch<P extends PatchType = "merge">(
    patch: Patch<ApiObject, P>,
    options?: PatchOptions<P>,
  ): Promise<Stored<ApiObject>>;
  delete(options?: DeleteOptions): Promise<void>;
  /** All objects of its kind; absent namespace: of all namespaces. */
  list(query?: ListQuery): Listing<Stored<ApiObject>>;
  watch(query?: WatchQuery & { readonly bookmarks?: false | undefined }): AsyncIterable<ChangeEvent<Stored<ApiObject>>>;
  watch(query: WatchQuery): AsyncIterable<WatchEvent<Stored<ApiObject>>>;
  /** All calls of its kind. Rejects with NotFound if the server does not serve it. */
  resource(): Promise<Resource<ApiObject, KindTraits>>;
}

/**
 * How a transaction is stored.
 * @example
 * await client.transaction(change, { manager: "shop", attempts: 20 });
 */
export interface TransactionOptions extends WriteOptions {
  /** How often `change` is called at most, when other writers change what it has read. Default: 5. */
  readonly attempts?: number | undefined;
}

/**
 * The calls of a transaction. What they read must still be the same when what they write is stored.
 * @example
 * const move = async (tx: TransactionCalls) => tx.of(ConfigMap).update(changed(await tx.of(ConfigMap).get("stock")));
 */
export interface TransactionCalls {
  of<T extends AnyObject, K extends KindTraits = KindTraits>(kind: ServedKind<T, K>): TransactionResource<T, K>;
  /** An operation as it is sent, for objects of kinds that the program does not know. */
  add(operation: TransactionOperation): void;
}

/**
 * The calls of one resource in a transaction. Writes are sent together at the end, in the order in which they were called.
 * @example
 * await client.transaction((tx) => tx.of(ConfigMap).create({ metadata: { name: "prices" } }));
 */
export interface TransactionResource<T extends AnyObject, K extends KindTraits = BareTraits> {
  get(target: Target): Promise<Stored<T, K>>;
  /** Undefined: the object does not exist, and must not exist when all is stored. */
  find(target: Target): Promise<Stored<T, K> | undefined>;
  create(object: SentObject<T, K>): void;
  update(object: SentObject<T, K>): void;
  apply(object: Applied<T>, options: { readonly manager: string; readonly force?: boolean | undefined }): void;
  patch<P extends Exclude<PatchType, "apply"> = "merge">(
    target: Target,
    patch: Patch<T, P>,
    options?: { readonly type?: P | undefined },
  ): void;
  delete(
    target: Target,
    options?: Pick<DeleteOptions, "uid" | "resourceVersion" | "propagationPolicy" | "gracePeriodSeconds">,
  ): void;
}

/**
 * What informers read, and for how long.
 * @example
 * const informers = client.informers({ namespace: "shop", signal });
 */
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
  /** Closes them when it aborts. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * A client of one server as one user. `using client = await connect()` closes it at the end of the block.
 * @example
 * const client: Client = await connect();
 * await client.of(Pod).get("shop/web");
 */
export interface Client extends Disposable, AsyncDisposable, FollowsWork, Traced, AcrossWorkspaces {
  /** The names that the server speaks. */
  readonly vocabulary: "orch" | "kubernetes";
  /** The namespace where none is named: that of the configuration, otherwise "default". */
  readonly namespace: string;
  readonly userAgent: string;
  /** The time of its waits, informers and controllers: that of the system, or of a server in the process whose clock is virtual. */
  readonly clock: Clock;
  /** How long an answer may take, watches and logs aside; undefined: no limit. */
  readonly requestTimeoutMs?: number | undefined;
  /** Requests as they are, with the credentials of the client. */
  readonly fetch: Fetch;
  /** Streams as they are (`exec`, `attach`, `portforward`), with the credentials of the client. A server in the process begins to listen for them. */
  readonly upgrade: Upgrade;
  of<T extends AnyObject, K extends KindTraits = KindTraits>(kind: ServedKind<T, K>): Resource<T, K>;
  /** Asks the server about the resource, and rejects with NotFound if it does not serve it. */
  resource(name: ResourceName): Promise<Resource<ApiObject, KindTraits>>;
  /**
   * An object of any kind, by its type and its name, in the names of the server.
   * @example
   * for (const manifest of manifests) await client.object(manifest).apply({ manager: "deploy" });
   */
  object(object: ApiObject): UntypedObject;
  /**
   * Stores several objects at once, or none: the operations, or what `change` calls. `change` begins again when another writer changed what it
   * had read. Resolves with the objects as they are stored now, in the order of the writes. Rejects with TransactionsUnknown where the server
   * is not ours.
   * @example
   * await client.transaction(async (tx) => {
   *   const stock = await tx.of(ConfigMap).get("stock");
   *   tx.of(ConfigMap).update({ ...stock, data: { tea: "2" } });
   *   tx.of(ConfigMap).create({ metadata: { name: "order-7" } });
   * });
   */
  transaction(
    change: readonly TransactionOperation[] | ((tx: TransactionCalls) => unknown),
    options?: TransactionOptions,
  ): Promise<readonly (Stored<ApiObject> | undefined)[]>;
  /** Informers that share one copy of each resource. The caller closes them. */
  informers(options?: InformerOptions): Informers;
  discover(): Promise<Discovery>;
  /** Closes idle connections. */
  close(): void;
}
