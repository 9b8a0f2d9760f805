/** Converts objects between versions: the conversion of a family, and that of declared kinds through their hub. */

import type { Steps } from "../../base/time-slice.ts";
import type { BoundKind, Family } from "./catalog.ts";
import type { ApiObject } from "./kind.ts";

/** Aborts when the result is no longer needed. Signals are made when they are first read, so only a conversion that waits reads it. */
interface Waiting {
  readonly signal?: AbortSignal;
}

/** How the objects of one family are converted between versions. */
export interface Conversion {
  /** Whether `convert` is always synchronous. Otherwise it may call a webhook, and few large batches are better than many. */
  readonly isImmediate: boolean;
  /**
   * Objects of version `from` in version `to`, in the same order: each a new object at the top level and in metadata, with
   * kind and apiVersion set; parts may be shared. Throws or rejects with a StatusError when one of them cannot be converted.
   */
  convert(
    objects: readonly ApiObject[],
    from: BoundKind,
    to: BoundKind,
    caller?: Waiting,
  ): readonly ApiObject[] | Promise<readonly ApiObject[]>;
  /**
   * Fills in the fields that readers of the stored version always get, in an object that was converted to it and is to be stored.
   * In place. Absent: nothing needs to be filled in.
   */
  fillStored?(object: ApiObject): void;
}

/** Through the hub, as the versions declare it. */
export const declaredConversion: Conversion = {
  isImmediate: true,
  convert: (objects, from, to) => objects.map((object) => to.fromHub(from.toHub(object))),
};

/** Always returns a new object at the top level, even if nothing has to be converted. */
export function convert(
  object: ApiObject,
  from: BoundKind,
  to: BoundKind,
  caller?: Waiting,
): ApiObject | Promise<ApiObject> {
  if (from === to) return withType(object, to);
  const { conversion } = from.family;
  if (conversion === declaredConversion) return convertNow(object, from, to);
  const converted = conversion.convert([object], from, to, caller);
  return converted instanceof Promise ? converted.then(only) : only(converted);
}

/** Several at once. */
export function convertAll(
  objects: readonly ApiObject[],
  from: BoundKind,
  to: BoundKind,
  caller?: Waiting,
): readonly ApiObject[] | Promise<readonly ApiObject[]> {
  if (from === to) return objects.map((object) => withType(object, to));
  return from.family.conversion.convert(objects, from, to, caller);
}

/** Converts at once, for families whose conversion is immediate: all declared kinds. */
export function convertNow(object: ApiObject, from: BoundKind, to: BoundKind): ApiObject {
  if (from.family !== to.family) throw new Error(`${from.family.id} cannot become ${to.family.id}`);
  if (from === to) return withType(object, to);
  const { conversion } = from.family;
  if (conversion === declaredConversion) return to.fromHub(from.toHub(object));
  const converted = conversion.convert([object], from, to);
  if (converted instanceof Promise) throw new Error(`${from.family.id} is not converted at once`);
  return only(converted);
}

/** As `convertNow`, of an object that may be large. */
export function* convertInSteps(object: ApiObject, from: BoundKind, to: BoundKind): Steps<ApiObject> {
  if (from === to || from.family !== to.family || from.family.conversion !== declaredConversion)
    return convertNow(object, from, to);
  const hub = yield* from.toHubInSteps(object);
  yield;
  return yield* to.fromHubInSteps(hub);
}

/** A definition may have changed since an object was read: returns the present version of the same name in `family`. */
export function versionIn(family: Family, version: BoundKind): BoundKind {
  if (version.family === family) return version;
  return family.versions.find(({ apiVersion }) => apiVersion === version.apiVersion) ?? family.stored;
}

/** Whether an object that was read in `version` says that it is of `kind`, and is. */
export function isOf(object: ApiObject, version: BoundKind, kind: BoundKind): boolean {
  return version === kind && object.apiVersion === kind.apiVersion && object.kind === kind.kind;
}

function only(objects: readonly ApiObject[]): ApiObject {
  const [object] = objects;
  if (object === undefined || objects.length !== 1) throw new Error("a conversion gives as many objects as it gets");
  return object;
}

/**
 * An object of `kind` after a round trip through the hub: without what the kind cannot store, with what the kind derives
 * from other members. The object itself if there is nothing to convert.
 */
export function throughHub(object: ApiObject, kind: BoundKind): ApiObject {
  return kind.declaration.toHub === undefined ? object : kind.fromHub(kind.toHub(object));
}

/** As `throughHub`, of an object that may be large. */
export function* throughHubInSteps(object: ApiObject, kind: BoundKind): Steps<ApiObject> {
  if (kind.declaration.toHub === undefined) return object;
  const hub = yield* kind.toHubInSteps(object);
  yield;
  return yield* kind.fromHubInSteps(hub);
}

/** A copy with `kind` and `apiVersion` first, and its own metadata. */
export function withType(object: ApiObject, type: Pick<BoundKind, "kind" | "apiVersion">): ApiObject {
  const { kind: _kind, apiVersion: _apiVersion, metadata, ...rest } = object;
  return { apiVersion: type.apiVersion, kind: type.kind, metadata: { ...metadata }, ...rest };
}
