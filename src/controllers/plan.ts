/** A plan: what one pass over an object has decided, as data. `carry-out.ts` is the one function that does it. */

import type { Pod } from "../api/core/v1/pod.ts";
import type { AnyObject, DeleteOptions, PatchOptions, Ref, ResourceAddress, WriteOptions } from "../client/contract.ts";
import type { ObjectReference } from "../client/events/contract.ts";
import type { Kind } from "../machinery/schema/kind.ts";
import { sameValue } from "../machinery/schema/same-value.ts";

/**
 * The parts of a plan are carried out in the order of its members: reads, lists, pods, writes, status, events, the next look, and what
 * follows from the results. The first failure ends it.
 */
export interface Plan {
  /** The object that Events are about. Absent: the plan has none. */
  readonly about?: AnyObject | ObjectReference;
  /** Objects of which only the server knows the present state. `next` gets them. */
  readonly reads?: readonly Request<AnyObject>[];
  /** Lists of which only the server knows the present state. `next` gets them. */
  readonly lists?: readonly ListRequest<AnyObject>[];
  /** Pods of the owner `about`, which the PodWriter of the queue creates and deletes. */
  readonly pods?: PodChanges;
  /** In this order. */
  readonly writes?: readonly Request<AnyObject>[];
  readonly status?: Request<AnyObject> | undefined;
  readonly events?: readonly PlannedEvent[];
  /** When to look again without an event; undefined: never. */
  readonly reviewInMs?: number | undefined;
  /** What follows once all of this is done. */
  next?(done: Results): Plan | undefined;
  /**
   * What follows from the failure that ended the plan. Afterwards the queue gets the failure and tries the key again, unless the
   * returned plan is `recovered`.
   */
  failed?(error: unknown, done: Results): Plan | undefined;
  /** In a plan that `failed` returned: the failure is dealt with. */
  readonly recovered?: boolean;
  /** Why the key must be tried again although all of this is done. */
  readonly failure?: unknown;
}

/** An Event that is to be recorded. */
export interface PlannedEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
  /** Absent: the object that the plan is about. */
  readonly about?: AnyObject | ObjectReference;
}

/** What a create of a pod takes: the server fills in the rest. */
export type NewPod = Pick<Pod, "metadata" | "spec">;

export interface PodChanges {
  /** One after the other in growing batches, so that a refusal of the first spares the others. */
  readonly create?: readonly NewPod[];
  readonly delete?: readonly Pod[];
  /** Why pods are deleted, for the log. */
  readonly reason?: string;
}

/** How many pods were created and deleted. */
export interface PodOutcome {
  readonly created: number;
  readonly deleted: number;
}

/** Carries out changes of pods. */
export interface PodWriter {
  /**
   * `error`: the first failure. A pod that is already gone is not one, nor is a namespace that is being deleted. `cause`: what the writes
   * say that they were made for.
   */
  change(
    key: string,
    owner: AnyObject,
    changes: PodChanges,
    cause?: string,
  ): Promise<PodOutcome & { readonly error?: unknown }>;
}

/** The answers to the requests of a plan. */
export interface Results {
  /** The object that was read or written; undefined: the request was not sent, or was refused for a reason that it tolerates. */
  of<T extends AnyObject>(request: Request<T>): T | undefined;
  /** The objects of a list that was read. */
  listed<T extends AnyObject>(request: ListRequest<T>): readonly T[];
  readonly pods: PodOutcome;
}

/** All objects of a kind in a namespace. */
export interface ListRequest<T extends AnyObject> {
  readonly kind: Kind<T>;
  readonly namespace: string;
}

/** Refusals that a request may tolerate: the reasons of a Status, and that the namespace of a create is being deleted. */
type Tolerated = "NotFound" | "AlreadyExists" | "Conflict" | "Invalid" | "NamespaceTerminating";

/** One request of a plan. */
export interface Request<T extends AnyObject> {
  /** The address of a kind that only discovery knows. */
  readonly kind: Kind<T> | ResourceAddress;
  readonly call: Call<T>;
  /** Refusals that are as good as success: somebody else was faster. */
  readonly tolerates?: readonly Tolerated[];
  /** `next` does not look at the answer, so it is not parsed. */
  readonly ignoresAnswer?: boolean;
  /** Recorded before the request is sent. */
  readonly announce?: PlannedEvent | undefined;
  /** Recorded when it has succeeded, before the next one is sent. */
  readonly events?: readonly PlannedEvent[];
  /** Recorded when it has failed. Undefined: this failure is not worth an Event. */
  readonly refused?: (error: unknown) => PlannedEvent | undefined;
}

type Call<T> =
  | { readonly verb: "get"; readonly ref: Ref }
  | { readonly verb: "create" | "update" | "updateStatus"; readonly object: T; readonly options?: WriteOptions }
  | { readonly verb: "patch"; readonly ref: Ref; readonly patch: unknown; readonly options?: PatchOptions }
  | { readonly verb: "delete"; readonly ref: Ref; readonly options?: DeleteOptions }
  | { readonly verb: "put"; readonly ref: Ref; readonly subresource: string; readonly body: AnyObject };

type Extras = Omit<Request<AnyObject>, "kind" | "call">;

export const read = <T extends AnyObject>(kind: Kind<T>, ref: Ref): Request<T> => ({
  kind,
  call: { verb: "get", ref },
  tolerates: ["NotFound"],
});

export const create = <T extends AnyObject>(kind: Kind<T>, object: T, extras: Extras = {}): Request<T> => ({
  kind,
  call: { verb: "create", object },
  ...extras,
});

export const update = <T extends AnyObject>(kind: Kind<T>, object: T, extras: Extras = {}): Request<T> => ({
  kind,
  call: { verb: "update", object },
  ...extras,
});

/** An object that no longer exists needs no patch. */
export const patch = <T extends AnyObject>(
  kind: Kind<T> | ResourceAddress,
  ref: Ref,
  changes: unknown,
  options: PatchOptions = {},
): Request<T> => ({ kind, call: { verb: "patch", ref, patch: changes, options }, tolerates: ["NotFound"] });

/** An object that no longer exists is as good as deleted. */
export const remove = <T extends AnyObject>(
  kind: Kind<T> | ResourceAddress,
  ref: Ref,
  options: DeleteOptions,
  extras: Extras = {},
): Request<T> => ({ kind, call: { verb: "delete", ref, options }, tolerates: ["NotFound"], ...extras });

export const updateStatus = <T extends AnyObject>(kind: Kind<T>, object: T, extras: Extras = {}): Request<T> => ({
  kind,
  call: { verb: "updateStatus", object },
  ...extras,
});

/** Replaces what a path under the object shows: "scale", "approval", "finalize". */
export const put = <T extends AnyObject>(
  kind: Kind<T> | ResourceAddress,
  ref: Ref,
  subresource: string,
  body: AnyObject,
  extras: Extras = {},
): Request<T> => ({ kind, call: { verb: "put", ref, subresource, body }, ...extras });

/** Undefined: the object has this status already. */
export function statusOf<T extends AnyObject & { status?: unknown }>(
  kind: Kind<T>,
  object: T,
  status: T["status"],
  extras: Extras = {},
): Request<T> | undefined {
  return sameValue(object.status, status) ? undefined : updateStatus(kind, { ...object, status }, extras);
}

/** The plan with what follows from any failure that it does not deal with itself, now or later. */
export function whenFailed(plan: Plan, failed: (error: unknown) => Plan | undefined): Plan {
  return {
    ...plan,
    next(done) {
      const next = plan.next?.(done);
      return next && whenFailed(next, failed);
    },
    failed(error, done) {
      const after = plan.failed?.(error, done);
      return after?.recovered === true ? whenFailed(after, failed) : (after ?? failed(error));
    },
  };
}

/** All of these, even if one of them fails; then the whole fails, with the first failure. Undefined: there are none. */
export function oneAfterOther(plans: readonly Omit<Plan, "next" | "failed">[], at = 0): Plan | undefined {
  const plan = plans[at];
  const rest = () => oneAfterOther(plans, at + 1);
  return plan && { ...plan, next: rest, failed: rest };
}

/** The text of a failure, for Events and conditions. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
