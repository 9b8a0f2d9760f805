/** From one version of an object to another, by way of the hub. */

import type { BoundKind } from "./catalog.ts";
import type { ApiObject } from "./kind.ts";

/** Gives an object of its own at the top level, even when nothing has to be converted. Parts may be shared. */
export function convert(object: ApiObject, from: BoundKind, to: BoundKind): ApiObject {
  if (from.family !== to.family) {
    throw new Error(`${from.family.id} cannot become ${to.family.id}`);
  }
  return from === to ? withType(object, to) : to.fromHub(from.toHub(object));
}

/**
 * An object of `kind` as it looks after a way through the hub: without what the kind cannot keep, with what the kind shows
 * of other members. The object itself where there is nothing to convert.
 */
export function throughHub(object: ApiObject, kind: BoundKind): ApiObject {
  return kind.declaration.toHub === undefined ? object : kind.fromHub(kind.toHub(object));
}

/** A copy with `kind` and `apiVersion` first, and metadata of its own. */
export function withType(object: ApiObject, type: Pick<BoundKind, "kind" | "apiVersion">): ApiObject {
  const { kind: _kind, apiVersion: _apiVersion, metadata, ...rest } = object;
  return { kind: type.kind, apiVersion: type.apiVersion, metadata: { ...metadata }, ...rest };
}
