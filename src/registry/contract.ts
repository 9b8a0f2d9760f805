/** What happens to any object between a request and kv, as http, strategies, admission and authorizers see it. */

import type { User } from "../authn/contract.ts";
import type { MemoryHold } from "../base/memory-budget.ts";
import type { Steps } from "../base/turns.ts";
import type { BoundKind, Family } from "../machinery/schema/catalog.ts";
import type { ApiObject } from "../machinery/schema/kind.ts";

/**
 * An object as it is kept: bytes first, parsed only when somebody asks. Immutable and shared by all readers.
 *
 * `bytes` is JSON of the stored version and starts `{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"7",`.
 * A list prints items without kind and apiVersion: `{` and the bytes from `itemOffset` on.
 */
export interface Entry<T = ApiObject> {
  readonly family: Family;
  /** The version that `bytes` and `object` are of: the stored one, unless only a webhook can convert to it. */
  readonly version: BoundKind;
  readonly namespace: string;
  readonly name: string;
  readonly revision: bigint;
  readonly bytes: Buffer;
  readonly itemOffset: number;
  readonly labels: ReadonlyMap<string, string>;
  /** Selectable fields by path, metadata.name and metadata.namespace included. */
  readonly fields: ReadonlyMap<string, string>;
  /** Deeply frozen, and parsed on first use. In the stored version, unless it was peeked at or observed in another. */
  object(): T;
  /** Another form of the object (another version, protobuf, a table row), made once and remembered beside it. */
  form<Form>(name: string, make: (entry: Entry) => Form): Form;
}

export interface ObjectRef {
  /** "" for cluster-wide kinds. */
  readonly namespace: string;
  readonly name: string;
}

/** Texts as they came in the query; the registry checks them. Absent and empty are the same. */
export interface ListQuery {
  /** "": all namespaces (or a cluster-wide kind). */
  readonly namespace: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly limit?: number;
  readonly continue?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: string;
  /** Ends the wait for a version that has not been reached. */
  readonly signal?: AbortSignal;
}

export interface ListResult {
  readonly entries: readonly Entry[];
  /** 0n: none, since the objects are kept nowhere. */
  readonly revision: bigint;
  readonly continue: string;
  /** Undefined: left out (complete, or a selector was used). */
  readonly remainingItemCount: number | undefined;
}

export interface WatchQuery extends ListQuery {
  readonly allowBookmarks: boolean;
  readonly signal: AbortSignal;
}

/**
 * What a watcher is told. `entry` of a DELETED event is the last state, at the revision of the deletion. Events are
 * shared by all watchers of a family, so an encoder remembers its frame with `form`.
 */
export type WatchEvent =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly entry: Entry; readonly revision: bigint }
  | { readonly type: "BOOKMARK"; readonly revision: bigint };

/**
 * A watch under way. `start` hands over the receiver: `events` comes in order with one or more events, `end` once, with
 * the refusal that clients see as an ERROR event or undefined for a clean end. A receiver that cannot take more answers
 * false and calls `resume` later; a watcher that stays behind by more than the buffer's bound is ended, never waited for.
 */
export interface Watch {
  /** How many requirements on labels and fields each change may be compared with. */
  readonly requirements: number;
  start(receiver: WatchReceiver): void;
  /** The receiver can take more again. */
  resume(): void;
  /** Tells the receiver at once how far it is (shortly before a deadline), if bookmarks were asked for. */
  bookmark(): void;
  /** Nothing is told any more, not even the end. */
  close(): void;
}
export interface WatchReceiver {
  /** False: no more until `resume`. Any other answer, or none: go on. */
  // biome-ignore lint/suspicious/noConfusingVoidType: a receiver that always takes everything need not answer
  events(batch: readonly WatchEvent[]): boolean | void;
  end(reason: Error | undefined): void;
}

/** Whoever asked for something, and may have left. */
export interface Asker {
  /** Nobody waits for the outcome any more: the client has gone, or was told that it took too long. */
  readonly gone: boolean;
  /** Aborts when that happens. Made on first use: it costs a tenth of a write, and most need none. */
  readonly signal: AbortSignal;
  /** When it will be told so, on the monotonic clock; Infinity: never. */
  readonly deadlineMs: number;
  /**
   * The request waits for somebody else, and does not count among those that are worked on until the returned function is called.
   * Absent: it is not counted.
   */
  stepAside?(): () => void;
}

/** How a write came about. */
export interface WriteContext {
  readonly user: User;
  readonly dryRun: boolean;
  /** Who owns the fields that this write sets; from fieldManager, else the user agent. "": not tracked. */
  readonly fieldManager: string;
  /** Adds a sentence to the Warning header. */
  warn(text: string): void;
  /** Adds to the audit record of the request; the first value of a key stays. Absent: there is no record. */
  annotate?(key: string, value: string): void;
  /** No plugin is asked: the server writes as part of a request that was admitted already. Default: false. See server-writes.ts. */
  readonly skipAdmission?: boolean;
  /** An update is stored as `change` makes it, whatever the kind's own rules say of clients. Default: false. */
  readonly skipRules?: boolean;
  /** How many bytes the client sent; a large write is done in turns with others. Default: 0. */
  readonly bytes?: number;
  /** What the request holds of a memory budget; it is released while the write waits for admission. Absent: nothing. */
  readonly memory?: MemoryHold;
  /** The options object of the request as admission shows it. */
  readonly options?: Readonly<Record<string, unknown>>;
  /**
   * Who is told of the outcome. When they have gone nothing is written any more, and the write fails; what the store has been
   * given already is not taken back. Absent: the server itself, which does not leave.
   */
  readonly asker?: Asker;
}

/** The outcome of a write; on a dry run the entry was never stored. */
export interface Written {
  readonly entry: Entry;
  readonly created: boolean;
}

export interface DeleteOptions {
  readonly gracePeriodSeconds?: number;
  /** Orphan, Background or Foreground; any other is refused. */
  readonly propagationPolicy?: string;
  /** As it was sent, to be checked: whether this is a dry run, the context says. */
  readonly dryRun?: readonly string[];
  readonly orphanDependents?: boolean;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

/** `removed`: gone from the store. Otherwise the object is terminating (or unchanged) and `entry` shows it. */
export interface Deleted {
  readonly entry: Entry;
  readonly removed: boolean;
  /** What a client is shown: the object, or a Status that names it. */
  readonly answer: "object" | "status";
}

/** What of a collection was deleted. */
export interface DeletedCollection {
  readonly deleted: readonly Deleted[];
  /** Where to go on when the query had a limit and there is more; "": there is not. */
  readonly continue: string;
}

/**
 * Makes the next state of an object, in the version of `kind`. Called again with a fresh state after a conflict unless it
 * says so; must not change `current` (frozen). `current` undefined: there is none, the result would be created.
 */
export type Change<T = ApiObject> = { make(current: T | undefined): T | Promise<T> }["make"];

export interface UpdateOptions {
  /** "": the object itself. */
  readonly subresource?: string;
  /** Whether a missing object is created; the caller decides (PUT where the kind allows it; apply always). */
  readonly createIfMissing?: boolean;
  /** Tried again with the newest state when somebody else was faster (patches without a resourceVersion). */
  readonly retry?: boolean;
  /**
   * What `change` gives is made anew each time and shares with `current` only sets of owned fields, which nobody changes; so
   * it is taken over as it is. Default: it is copied.
   */
  readonly fresh?: boolean;
  /** The write is an apply: `change` has done the ownership bookkeeping itself. */
  readonly apply?: boolean;
  /** The uid the object must still have (PUT passes that of the body); another one, or no object, is a conflict. */
  readonly uid?: string;
}

/** One change of an object, as observers learn of it. */
export interface Observed<T = ApiObject> {
  readonly entry: Entry<T>;
  readonly deleted: boolean;
}

/** All verbs for all kinds. Objects given and taken are of the version of `kind` unless said otherwise. */
export interface Registry {
  get(kind: BoundKind, ref: ObjectRef, options?: { resourceVersion?: string; signal?: AbortSignal }): Promise<Entry>;
  /** What `get` without options answers, where that is known without waiting. Undefined: ask `get`. */
  getNow(kind: BoundKind, ref: ObjectRef): Entry | undefined;
  /** The object that `get` finds, in the version of `kind`. */
  read<T extends ApiObject>(kind: BoundKind<T>, ref: ObjectRef): Promise<T>;
  /**
   * The newest state this process knows, at once and without a round trip; for authorizers and admission. Here and in the next two
   * the object is in the version of `kind`. Custom kinds are peeked at as `family.stored`: to convert them may take time.
   */
  peek<T extends ApiObject>(kind: BoundKind<T>, ref: ObjectRef): Entry<T> | undefined;
  /** All of a family (of one namespace) this process knows, in key order. */
  peekAll<T extends ApiObject>(kind: BoundKind<T>, namespace?: string): Iterable<Entry<T>>;
  /** Calls back after every change of a family this process learns of; returns how to stop. `entry` is the state before a delete. */
  observe<T extends ApiObject>(kind: BoundKind<T>, observer: (change: Observed<T>) => void): () => void;
  list(kind: BoundKind, query: ListQuery): Promise<ListResult>;
  watch(kind: BoundKind, query: WatchQuery): Promise<Watch>;
  /** `object` is the registry's from here on: it is changed on its way. */
  create<T extends ApiObject>(
    kind: BoundKind<T>,
    object: NoInfer<T>,
    ref: ObjectRef,
    context: WriteContext,
  ): Promise<Written>;
  update<T extends ApiObject>(
    kind: BoundKind<T>,
    ref: ObjectRef,
    change: Change<NoInfer<T>>,
    context: WriteContext,
    options?: UpdateOptions,
  ): Promise<Written>;
  delete(kind: BoundKind, ref: ObjectRef, options: DeleteOptions, context: WriteContext): Promise<Deleted>;
  deleteCollection(
    kind: BoundKind,
    query: ListQuery,
    options: DeleteOptions,
    context: WriteContext,
  ): Promise<DeletedCollection>;
  /** The revision everything read from now on is at least at. */
  revision(): Promise<bigint>;
}

/** Ownership bookkeeping of the fields of an object; machinery/apply implements it. */
export interface Ownership {
  /**
   * After a create, update or plain patch: `next` gets managedFields that say what `manager` changed. In place. Undefined: that
   * is done; otherwise it is when all steps have run.
   */
  track(
    change: {
      readonly kind: BoundKind;
      /** Undefined: the write creates the object. */
      readonly live: ApiObject | undefined;
      readonly next: ApiObject;
      readonly manager: string;
      readonly subresource: string;
      readonly now: string;
    },
    isLarge: boolean,
  ): Steps<void> | undefined;
}

/**
 * The part of a kind's life that reaches beyond its object: what it needs is given to it before it is stored and taken
 * back when it is gone. By the identity of the family; `strategies/` has one for each.
 */
export interface Strategy {
  /** Called with a valid object that is about to be stored; may fill it in, and refuses by throwing. */
  begin(write: StrategyWrite): Promise<StrategyAttempt>;
  /** The object is gone from the store. Calling it again, or for an object that was never stored, does nothing. */
  end(object: ApiObject): Promise<void>;
}
export interface StrategyWrite {
  readonly family: Family;
  /** Of the hub version, ours to change. */
  readonly object: ApiObject;
  /** Frozen. Undefined: the object is new. */
  readonly old: ApiObject | undefined;
  /** Nothing will be stored, so nothing may be taken. */
  readonly dryRun: boolean;
}
/** One of the two is called, once. Neither is where nobody can tell whether the write happened. */
export interface StrategyAttempt {
  stored(): Promise<void>;
  failed(): Promise<void>;
}

/**
 * Where the objects of a family come from that is kept nowhere: they are made anew for every reader, have no version, and
 * can be neither written nor watched. By the identity of the family; `strategies/` has them.
 */
export interface Source {
  /** Of the hub version, in any order; what is absent in them is filled in. */
  objects(registry: Registry): Promise<readonly ApiObject[]>;
}

/** Names that one object at a time may hold, whichever server of the store it is written through. */
export interface Claims {
  /**
   * False: it is taken, be it by the same holder. Of two writes of one object only the one that took a name may free it
   * when it fails.
   */
  take(pool: string, name: string, holder: string): Promise<boolean>;
  /** Does nothing unless `holder` has it. */
  free(pool: string, name: string, holder: string): Promise<void>;
  /** Everything of a pool that is taken, by name. `revision` tells a claim from a later one of the same name. */
  held(pool: string): Promise<ReadonlyMap<string, { readonly holder: string; readonly revision: bigint }>>;
}

/** What a virtual kind or an acting subresource does; main hands http the table of them by name. */
export interface Action<Body extends ApiObject = ApiObject> {
  /** Makes of what was sent what plugins see and `create` is given: defaults, managed fields. Absent: nothing is to be done. */
  prepare?(request: ActionRequest<Body>): ActionRequest<Body>;
  /**
   * Answers a create (POST). `parent` is the object the subresource hangs under (undefined for virtual kinds). Gives the
   * object to print and the status code.
   */
  create?(request: ActionRequest<Body>): Promise<{ object: ApiObject; code: number }>;
  /**
   * Answers whatever verb would connect the client with something else (exec, log, proxy): with a refusal, or with nothing
   * where there is nothing to be heard yet.
   */
  connect?(request: ConnectRequest): Promise<void>;
}
/** An action that answers creates. */
export type CreateAction<Body extends ApiObject = ApiObject> = Action<Body> & Required<Pick<Action<Body>, "create">>;

export interface ConnectRequest {
  readonly kind: BoundKind;
  /** "exec". */
  readonly subresource: string;
  /** The name as the path has it: of a proxy it may hold a scheme and a port. */
  readonly ref: ObjectRef;
  readonly registry: Registry;
  /** One parameter of the query. */
  parameter(name: string): string | undefined;
}
export interface ActionRequest<Body extends ApiObject = ApiObject> {
  readonly kind: BoundKind;
  /** The kind of the body where it is not `kind`. */
  readonly accepted: BoundKind | undefined;
  readonly ref: ObjectRef;
  readonly body: Body;
  readonly context: WriteContext;
  readonly registry: Registry;
}
