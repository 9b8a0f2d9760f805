/** The states of one object in the versions of its managers, made on demand. */

import { checkAnswer, checksCaches } from "../../base/cache-check.ts";
import { type Steps, wait } from "../../base/time-slice.ts";
import { deepFreeze } from "../json/json-value.ts";
import type { BoundKind } from "../schema/catalog.ts";
import type { Codec } from "../schema/codec.ts";
import { convert, convertInSteps } from "../schema/convert.ts";
import type { ApiObject } from "../schema/kind.ts";

export interface Versioned {
  readonly kind: BoundKind;
  readonly object: ApiObject;
}

/** The kind in another version of its family; undefined: the version does not exist. */
export function inVersion(kind: BoundKind, apiVersion: string): BoundKind | undefined {
  if (kind.apiVersion === apiVersion) return kind;
  return kind.family.versions.find((version) => version.apiVersion === apiVersion);
}

/** The state in another version. A state that was merged may lack what conversion relies on, so it is read first. */
export function* toVersion(state: Versioned, kind: BoundKind): Steps<Versioned> {
  if (state.kind === kind) return state;
  const { codec, family } = state.kind;
  const decoded = yield* decodeSteps(codec, state.object);
  yield;
  const object = family.conversion.isImmediate
    ? yield* convertInSteps(decoded, state.kind, kind)
    : yield* wait(convert(decoded, state.kind, kind));
  yield;
  return { kind, object };
}

/** The object as its version has it. */
export function* decodeSteps({ decode, decodeInSteps }: Codec, object: unknown): Steps<ApiObject> {
  return decodeInSteps === undefined ? decode(object) : yield* decodeInSteps(object);
}

/** The object without its managedFields, which no manager owns. */
export function withoutManagers(object: ApiObject): ApiObject {
  if (object.metadata.managedFields === undefined) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** An object of the kind that sets nothing: what a create is compared with. Frozen, since all creates of the kind share it. */
export function zeroObject(kind: BoundKind): ApiObject {
  let zero = zeros.get(kind);
  if (zero === undefined) {
    zero = deepFreeze(kind.codec.decode({}));
    zeros.set(kind, zero);
  } else if (checksCaches) checkAnswer("zero objects", zero, kind.codec.decode({}));
  return zero;
}
const zeros = new WeakMap<BoundKind, ApiObject>();
