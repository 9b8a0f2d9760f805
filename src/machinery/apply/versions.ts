/** The states of one object in the versions of its managers, made on demand. */

import { checkAnswer, checksCaches } from "../../base/cache-check.ts";
import { type Steps, wait } from "../../base/time-slice.ts";
import { deepFreeze } from "../json/json-value.ts";
import type { BoundKind } from "../schema/catalog.ts";
import { convert } from "../schema/convert.ts";
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
  return { kind, object: yield* wait(convert(state.kind.codec.decode(state.object), state.kind, kind)) };
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
