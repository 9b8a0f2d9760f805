/** The registry as http, allocators, admission and authorizers see it: all verbs, for objects of any kind. */

import type { User } from "../../machinery/meta/user.ts";
import type { BoundKind } from "../../machinery/schema/catalog.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import type { Batching } from "./batching.ts";
import type { Entry, ObjectRef } from "./entry.ts";
import type { Moment } from "./history.ts";
import type { AnsweredQuestion, Question } from "./question.ts";
import type { Transaction } from "./transaction.ts";
import type { RegistryWatchQuery, Watch } from "./watch.ts";
import type { WriteContext } from "./write-context.ts";

/** Texts as received in the query; the registry checks them. Absent and empty are the same. */
export interface RegistryListQuery {
  /** "": all namespaces (or a cluster-wide kind). */
  readonly namespace: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly limit?: number;
  readonly continue?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: string;
  /** An RFC 3339 time: the list shows the state of that moment. Not for watches. */
  readonly atTime?: string;
  /** A watch list: whether all objects come first. Only for watches; absent: as the version says. */
  readonly sendInitialEvents?: boolean;
  /** Absent: labels and fields decide alone, and the list is in the order of names. A watch asks for its condition only. */
  readonly question?: Question;
  /** Ends the wait for a version that has not been reached. */
  readonly signal?: AbortSignal;
  /** Who asks, for virtual resources that show each user something else. Absent: nobody. */
  readonly user?: User;
}

export interface ListResult {
  readonly entries: readonly Entry[];
  /** 0n: none, since the objects are not stored. */
  readonly revision: bigint;
  readonly continue: string;
  /** Undefined: omitted (the list is complete, or a selector was used). */
  readonly remainingItemCount: number | undefined;
  /** Absent: nothing was asked beyond labels and fields. */
  readonly answered?: AnsweredQuestion;
}

/** The outcome of a write; on a dry run the entry was never stored. */
export interface Written {
  readonly entry: Entry;
  readonly created: boolean;
}

export interface RegistryDeleteOptions {
  readonly gracePeriodSeconds?: number;
  /** Orphan, Background or Foreground; any other value is refused. */
  readonly propagationPolicy?: string;
  /** As sent, to be checked; the context says whether this is a dry run. */
  readonly dryRun?: readonly string[];
  readonly orphanDependents?: boolean;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

/** `removed`: gone from the store. Otherwise the object is terminating (or unchanged) and `entry` shows it. */
export interface Deleted {
  readonly entry: Entry;
  readonly removed: boolean;
  /** What the client gets: the object, or a Status that names it. */
  readonly answer: "object" | "status";
}

/** The objects of a collection that were deleted. */
export interface DeletedCollection {
  readonly deleted: readonly Deleted[];
  /** Where to continue if the query had a limit and more objects follow; "": none follow. */
  readonly continue: string;
  /** How many follow; undefined: none, or it is not known. */
  readonly remainingItemCount: number | undefined;
}

/**
 * Makes the next state of an object, in the version of `kind`. Called again with a fresh state if the update is retried
 * after a conflict; must not change `current` (frozen). `current` undefined: the object does not exist, the result is created.
 */
export type UpdateFunction<T = ApiObject> = { make(current: T | undefined): T | Promise<T> }["make"];

export interface UpdateOptions {
  /** "" or undefined: the object itself. */
  readonly subresource?: string | undefined;
  /** Whether a missing object is created; the caller decides (PUT where the kind allows it; apply always). */
  readonly createIfMissing?: boolean;
  /** Retry with the newest state after a conflict with another writer (patches without a resourceVersion). */
  readonly retry?: boolean;
  /**
   * The result of `change` is new each time and shares with `current` only whole members that it leaves as they are and sets of owned
   * fields, which are never changed; so it is used without a copy. Default: it is copied.
   */
  readonly fresh?: boolean;
  /** Whether the change does not count for the generation: v1.35 does not count a binding. */
  readonly keepsGeneration?: boolean;
  /** The write is a patch: the managed fields are those of its result before an owner that is named twice is dropped. */
  readonly patch?: boolean;
  /** The write is an apply: `change` has updated the managed fields itself. */
  readonly apply?: boolean;
  /** The uid the object must still have (PUT passes that of the body); another one, or no object, is a conflict. "": any. */
  readonly uid?: string;
}

/** One change of an object, as observers receive it. */
export interface ObservedChange<T = ApiObject> {
  readonly entry: Entry<T>;
  readonly deleted: boolean;
}

/** Which state of an object is read. Texts are as received in the query. */
export interface GetOptions extends Moment {
  readonly resourceVersion?: string;
  readonly signal?: AbortSignal;
  /** As for a list. */
  readonly user?: User;
}

/** All verbs for all kinds. Objects are passed and returned in the version of `kind` unless stated otherwise. */
export interface Registry {
  get(kind: BoundKind, ref: ObjectRef, options?: GetOptions): Promise<Entry>;
  /** The result of `get` without options, if it is known without waiting. Undefined: call `get`. */
  getNow(kind: BoundKind, ref: ObjectRef): Entry | undefined;
  /** The object that `get` finds, in the version of `kind`. */
  read<T extends ApiObject>(kind: BoundKind<T>, ref: ObjectRef): Promise<T>;
  /**
   * The newest state this process knows, without a round trip; for authorizers and admission. Here and in the next two
   * the object is in the version of `kind`. Custom kinds are peeked at as `family.stored`: converting them may take time.
   */
  peek<T extends ApiObject>(kind: BoundKind<T>, ref: ObjectRef): Entry<T> | undefined;
  /** All objects of a family (in one namespace) that this process knows, in key order. */
  peekAll<T extends ApiObject>(kind: BoundKind<T>, namespace?: string): readonly Entry<T>[];
  /** Calls back after each known change of a family; returns a function that stops it. `entry` is the state before a delete. */
  observe<T extends ApiObject>(kind: BoundKind<T>, observer: (change: ObservedChange<T>) => void): () => void;
  list(kind: BoundKind, query: RegistryListQuery): Promise<ListResult>;
  watch(kind: BoundKind, query: RegistryWatchQuery): Promise<Watch>;
  /** The caller passes `object` to the registry for good: the write changes it in place. */
  create<T extends ApiObject>(
    kind: BoundKind<T>,
    object: NoInfer<T>,
    ref: ObjectRef,
    context: WriteContext,
  ): Promise<Written>;
  update<T extends ApiObject>(
    kind: BoundKind<T>,
    ref: ObjectRef,
    change: UpdateFunction<NoInfer<T>>,
    context: WriteContext,
    options?: UpdateOptions,
  ): Promise<Written>;
  delete(kind: BoundKind, ref: ObjectRef, options: RegistryDeleteOptions, context: WriteContext): Promise<Deleted>;
  deleteCollection(
    kind: BoundKind,
    query: RegistryListQuery,
    options: RegistryDeleteOptions,
    context: WriteContext,
  ): Promise<DeletedCollection>;
  /** How writes that arrive together are worked on. */
  readonly batching: Batching;
  /** Begins a transaction: writes whose context names it are held back until it is committed. */
  begin(): Transaction;
  /** How many stored objects are damaged or cannot be decrypted; reads of them fail. */
  unreadable(): number;
  /** How many of them are damaged. */
  damaged(): number;
  /** Everything read from now on is at least at this revision. */
  revision(): Promise<bigint>;
  /** Waits until everything that was written before this call is known here. Undefined: it is, as no other process writes. */
  catchUp(): Promise<void> | undefined;
}
