/** One write as admission plugins see it. */

import { keepManagedFields } from "../machinery/apply/keep-managed.ts";
import { sameJson } from "../machinery/json/json-value.ts";
import type { BoundKind } from "../machinery/schema/catalog.ts";
import { convert, convertAll } from "../machinery/schema/convert.ts";
import type { ApiObject } from "../machinery/schema/kind.ts";
import { ownMembers } from "../machinery/schema/shared-members.ts";
import { badRequest } from "../machinery/status/status.ts";
import type {
  AdmissionRequest,
  AdmissionTrace,
  Operation,
  OutcomeCallback,
  VersionedObjects,
} from "./contract/admission.ts";
import type { ObjectRef } from "./contract/entry.ts";
import type { Staged } from "./contract/transaction.ts";
import type { WriteContext } from "./contract/write-context.ts";

interface Admitted {
  readonly operation: Operation;
  readonly subresource?: string;
  /** `replace` changes it in place. */
  readonly object: ApiObject | undefined;
  readonly old: ApiObject | undefined;
  /** Whether it is one of many deletes of one request. Default: false. */
  readonly ofCollection?: boolean;
  /** The kind of `object` and `old`, where it is not the hub's. "none": options of a connection, which are of no kind here. */
  readonly of?: BoundKind | "none" | undefined;
}

export function admissionRequest(
  kind: BoundKind,
  ref: ObjectRef,
  context: WriteContext,
  admitted: Admitted,
): AdmissionRequest {
  return new Request(kind, ref, context, admitted);
}

const never = new AbortController().signal;
const noOptions = {};
const noReturn = () => {};

class Request implements AdmissionRequest {
  readonly operation: Operation;
  readonly kind: BoundKind;
  readonly subresource: string;
  readonly namespace: string;
  name: string;
  readonly ofCollection: boolean;
  readonly object: ApiObject | undefined;
  readonly old: ApiObject | undefined;
  round: 0 | 1 = 0;
  #isReplaced = false;
  #isOwn = false;
  #waiting: OutcomeCallback[] | undefined;
  readonly #of: BoundKind | "none";
  readonly #context: WriteContext;
  #options: AdmissionRequest["options"] | undefined;

  constructor(kind: BoundKind, ref: ObjectRef, context: WriteContext, admitted: Admitted) {
    this.operation = admitted.operation;
    this.kind = kind;
    this.subresource = admitted.subresource ?? "";
    this.namespace = kind.namespaced ? ref.namespace : "";
    this.name = ref.name;
    this.ofCollection = admitted.ofCollection === true;
    this.object = admitted.object;
    this.old = admitted.old;
    this.#of = admitted.of ?? kind.family.hub;
    this.#context = context;
    this.#options = undefined;
  }

  get options(): AdmissionRequest["options"] {
    return this.#options ?? this.#context.options ?? noOptions;
  }
  get user(): AdmissionRequest["user"] {
    return this.#context.user;
  }
  get dryRun(): boolean {
    return this.#context.dryRun;
  }
  get signal(): AbortSignal {
    return this.#context.caller?.signal ?? never;
  }
  get deadlineMs(): number {
    return this.#context.caller?.deadlineMs ?? Number.POSITIVE_INFINITY;
  }

  get trace(): AdmissionTrace | undefined {
    return this.#context.caller?.trace;
  }

  in(kind: BoundKind): VersionedObjects | Promise<VersionedObjects> {
    const { object, old } = this;
    const from = this.#of;
    if (from === "none" || from === kind || from.family !== kind.family) return { object, old };
    const given = [object, old].filter((one) => one !== undefined);
    const shown = convertAll(given, from, kind, this);
    return shown instanceof Promise ? shown.then((all) => this.#paired(all)) : this.#paired(shown);
  }

  #paired(objects: readonly ApiObject[]): VersionedObjects {
    return {
      object: this.object && objects[0],
      old: this.old && objects.at(-1),
    };
  }

  replace(value: unknown, kind: BoundKind): boolean | Promise<boolean> {
    const own = this.#of;
    if (this.object === undefined || own === "none")
      throw badRequest("the request has no object that could be changed");
    const version = own.family === kind.family ? kind : own;
    const given = version.codec.decode(value);
    version.codec.applyDefaults(given);
    const next = convert(given, version, own, this);
    return next instanceof Promise ? next.then((made) => this.#put(made)) : this.#put(next);
  }

  /** In place: the write holds this very object. */
  #put(next: ApiObject): boolean {
    const { object = next } = this;
    keepManagedFields(next, object, (text) => this.warn(text));
    if (sameJson(next, object)) return false;
    for (const key of Object.keys(object)) delete object[key];
    Object.assign(object, next);
    this.#isReplaced = true;
    return true;
  }

  releaseSeat(): () => void {
    return this.#context.caller?.releaseSeat?.() ?? noReturn;
  }

  warn(text: string): void {
    this.#context.warn(text);
  }

  annotate(key: string, value: string): void {
    this.#context.annotate?.(key, value);
  }

  changedBy(name: string): void {
    this.#context.caller?.changedBy?.(name);
  }

  get transaction(): object | undefined {
    return this.#context.transaction;
  }

  staged<T extends ApiObject>(kind: BoundKind<T>, ref: ObjectRef): Staged<T> | undefined {
    return this.#context.transaction?.find(kind, ref);
  }

  onOutcome(callback: OutcomeCallback): void {
    this.#waiting ??= [];
    this.#waiting.push(callback);
  }

  complete({ name, options }: Parameters<AdmissionRequest["complete"]>[0]): void {
    if (name !== undefined) this.name = name;
    if (options !== undefined) this.#options = { ...this.options, ...options };
  }

  get waiting(): readonly OutcomeCallback[] | undefined {
    return this.#waiting;
  }

  ownMembers(): void {
    const { object, old } = this;
    const { schema } = this.#of === "none" ? this.kind : this.#of;
    if (object !== undefined && old !== undefined && !this.#isOwn) ownMembers(schema, object, old);
    this.#isOwn = true;
  }

  beginSecondRound(): boolean {
    if (this.round === 1 || !this.#isReplaced) return false;
    this.round = 1;
    return true;
  }
}
