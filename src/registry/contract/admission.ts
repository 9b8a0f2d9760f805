/** Admission as the registry sees it: a request for each write, and a chain that may change or refuse it. */

import type { User } from "../../machinery/meta/user.ts";
import type { BoundKind } from "../../machinery/schema/catalog.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import type { ObjectRef } from "./entry.ts";
import type { Staged } from "./transaction.ts";

/**
 * What a request does to an object.
 * @example
 * const operations: Operation[] = ["CREATE", "UPDATE"];
 */
export type Operation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT";

/** Object and old object in one version. Shared with others: must not be changed. Undefined as in the request. */
export interface VersionedObjects {
  readonly object: ApiObject | undefined;
  readonly old: ApiObject | undefined;
}

/** "unknown": it is not known whether the store has the write. */
export type WriteOutcome = "stored" | "failed" | "unknown";
export type OutcomeCallback = (outcome: WriteOutcome) => Promise<void>;

/**
 * One write on its way to the store. Objects are of the family's hub version. The same request is shown to all plugins in both
 * rounds and both phases, so a plugin may keep data about it in a WeakMap.
 * @example
 * const isOf = ({ namespace }: AdmissionRequest) => namespace === "shop";
 */
export interface AdmissionRequest {
  readonly operation: Operation;
  /** The version of the request. */
  readonly kind: BoundKind;
  /** "" for the object itself. */
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** Whether it is one of the deletes of a deletecollection, which names no object. */
  readonly ofCollection: boolean;
  /**
   * Mutating plugins change it in place or `replace` it (rules with `leavesOldMembers` see it with members of `old`, which are frozen); it is already encoded when validating plugins see it. Undefined on DELETE. For a
   * write through a subresource with a kind of its own (Scale, Eviction): what was sent, of that kind. On CONNECT: the options of
   * the connection, which have no metadata of their own.
   */
  readonly object: ApiObject | undefined;
  /** Frozen. Undefined on CREATE. */
  readonly old: ApiObject | undefined;
  /** The create, update or delete options the client gave. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly user: User;
  readonly dryRun: boolean;
  /** 1: mutating plugins run again, because one of them replaced the object in round 0. */
  readonly round: 0 | 1;
  /** Aborts when the caller has gone or the request has timed out. A plugin that waits must end then. */
  readonly signal: AbortSignal;
  /** When the request times out, on the monotonic clock; Infinity: never. */
  readonly deadlineMs: number;
  /**
   * The objects in another version of the family (of the request, of a rule). Objects of a subresource's own kind are shown as they
   * are. A promise where a webhook converts.
   */
  in(kind: BoundKind): VersionedObjects | Promise<VersionedObjects>;
  /**
   * Replaces the object with `value`, JSON in the version of `kind`: decoded, pruned, defaulted, and converted to the hub version.
   * Returns whether that changed anything; if so, all mutating plugins run a second time. Managed fields that cannot be read stay as
   * they were, with a warning. Throws a StatusError when `value` is not an object of the kind, or if the object to replace does not exist.
   */
  replace(value: unknown, kind: BoundKind): boolean | Promise<boolean>;
  /**
   * For a plugin that waits for another server: until the returned function is called, the request does not count among those
   * that this server works on at once.
   */
  releaseSeat(): () => void;
  /** Adds a sentence to the Warning header. */
  warn(text: string): void;
  /** Adds to the audit record; the first value of a key stays. */
  annotate(key: string, value: string): void;
  /** For the history: a webhook or policy has changed the object. */
  changedBy(name: string): void;
  /** The same for all writes of one transaction, which are stored together later. Undefined: the write is alone. */
  readonly transaction: object | undefined;
  /**
   * What an earlier write of the same transaction, which is not stored yet, leaves of an object. Undefined: none changes it, or the
   * write is alone.
   */
  staged<T extends ApiObject>(kind: BoundKind<T>, ref: ObjectRef): Staged<T> | undefined;
  /**
   * For a plugin that has reserved something for this write, such as a share of a quota: calls back once the object is stored, or was not
   * stored for any reason, or the outcome is unknown. What the function holds stays in memory until then, so it must not hold the object.
   */
  onOutcome(callback: OutcomeCallback): void;
  /** For the registry: what is known only after mutating plugins have run, such as a generated name. @internal */
  complete(known: { readonly name?: string; readonly options?: Readonly<Record<string, unknown>> }): void;
  /** For the registry: the callbacks given to `onOutcome`. Undefined: there are none. @internal */
  readonly waiting: readonly OutcomeCallback[] | undefined;
  /** For the chain and for plugins that call others: notes what they do. Undefined: it is not recorded. @internal */
  readonly trace: AdmissionTrace | undefined;
  /** For the chain: gives the object copies of the members that it has of `old`, before a plugin changes it in place. @internal */
  ownMembers(): void;
  /** For the chain: begins round 1 and says true if a plugin replaced the object in round 0. @internal */
  beginSecondRound(): boolean;
}

/** What runs for a request: a plugin, a webhook that a plugin calls, or a policy that it applies. Without the two: the plugin itself. */
export interface AdmissionStep {
  readonly plugin: string;
  readonly phase: "mutate" | "validate";
  readonly webhook?: { readonly name: string; readonly configuration: string };
  readonly policy?: { readonly name: string; readonly binding: string };
}

/**
 * "ignored": a webhook could not be called or a policy was violated, and the request goes on all the same. `message`: why it was not allowed.
 */
export interface StepOutcome {
  readonly outcome: "allowed" | "refused" | "ignored";
  readonly message?: string;
}

/** Called with the outcome of a step. */
export interface StepEnd {
  (outcome: StepOutcome): void;
  /** Runs what asks others, so that they learn of what it is a part. Absent: they need not. */
  readonly within?: <T>(work: () => T) => T;
}

/** Notes what admission does to a request. Methods must not throw. */
export interface AdmissionTrace {
  /** A step begins; the returned function is called when it is over. */
  begin(request: AdmissionRequest, step: AdmissionStep): StepEnd;
  /** The object is what would be stored, unless a validating plugin refuses it. */
  mutated(request: AdmissionRequest): void;
}

/** The chain as the registry sees it. */
export interface Admission {
  mutate(request: AdmissionRequest): void | Promise<void>;
  validate(request: AdmissionRequest): void | Promise<void>;
}

export const admitAll: Admission = { mutate() {}, validate() {} };
