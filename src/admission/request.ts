/** One write as admission plugins see it. */

import { keepManagedFields } from "../machinery/apply/keep-managed.ts";
import type { BoundKind } from "../machinery/schema/catalog.ts";
import { convert } from "../machinery/schema/convert.ts";
import { decodeKind } from "../machinery/schema/decode-kind.ts";
import { defaultKind } from "../machinery/schema/defaults.ts";
import { sameJson } from "../machinery/schema/json-value.ts";
import type { ApiObject } from "../machinery/schema/kind.ts";
import { badRequest } from "../machinery/status/status.ts";
import type { ObjectRef, WriteContext } from "../registry/contract.ts";
import type { AdmissionRequest, Operation, VersionedObjects } from "./contract.ts";

export interface Admitted {
  readonly operation: Operation;
  readonly subresource?: string;
  /** `replace` changes it in place. */
  readonly object: ApiObject | undefined;
  readonly old: ApiObject | undefined;
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

class Request implements AdmissionRequest {
  readonly operation: Operation;
  readonly kind: BoundKind;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly object: ApiObject | undefined;
  readonly old: ApiObject | undefined;
  round: 0 | 1 = 0;
  #isReplaced = false;
  readonly #of: BoundKind | "none";
  readonly #context: WriteContext;

  constructor(kind: BoundKind, ref: ObjectRef, context: WriteContext, admitted: Admitted) {
    this.operation = admitted.operation;
    this.kind = kind;
    this.subresource = admitted.subresource ?? "";
    this.namespace = kind.namespaced ? ref.namespace : "";
    this.name = ref.name;
    this.object = admitted.object;
    this.old = admitted.old;
    this.#of = admitted.of ?? kind.family.hub;
    this.#context = context;
  }

  get options(): Readonly<Record<string, unknown>> {
    return this.#context.options ?? noOptions;
  }
  get user(): AdmissionRequest["user"] {
    return this.#context.user;
  }
  get dryRun(): boolean {
    return this.#context.dryRun;
  }
  get signal(): AbortSignal {
    return this.#context.asker?.signal ?? never;
  }
  get deadlineMs(): number {
    return this.#context.asker?.deadlineMs ?? Number.POSITIVE_INFINITY;
  }

  in(kind: BoundKind): VersionedObjects {
    const { object, old } = this;
    const from = this.#of;
    if (from === "none" || from === kind || from.family !== kind.family) return { object, old };
    return { object: object && convert(object, from, kind), old: old && convert(old, from, kind) };
  }

  replace(value: unknown, kind: BoundKind): boolean {
    const current = this.object;
    const own = this.#of;
    if (current === undefined || own === "none") throw badRequest("the request has no object that could be changed");
    const version = own.family === kind.family ? kind : own;
    const given = decodeKind(version, value);
    defaultKind(version, given);
    const next = convert(given, version, own);
    keepManagedFields(next, current, (text) => this.warn(text));
    if (sameJson(next, current)) return false;
    // In place: whoever began the write holds this very object.
    for (const key of Object.keys(current)) delete current[key];
    Object.assign(current, next);
    this.#isReplaced = true;
    return true;
  }

  warn(text: string): void {
    this.#context.warn(text);
  }

  annotate(key: string, value: string): void {
    this.#context.annotate?.(key, value);
  }

  beginSecondRound(): boolean {
    if (this.round === 1 || !this.#isReplaced) return false;
    this.round = 1;
    return true;
  }
}
