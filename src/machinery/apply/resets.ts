/** Fields that a write through one path never changes, whatever it contains, and so does not own. */

import { checkAnswer, checksCaches } from "../../base/cache-check.ts";
import type { BoundKind } from "../schema/catalog.ts";
import { conventionsOf } from "../schema/conventions.ts";
import type { FieldSet } from "./field-set.ts";
import { emptySet, leaf, setOfPaths } from "./field-set.ts";
import { fieldToken } from "./token.ts";

/**
 * The fields that the server restores on a write of `kind` through `subresource` ("": the object itself). A write of the object
 * keeps the status if there is a status path; that path keeps everything but status and metadata, and any other fields
 * that the declaration names.
 */
export function resetFields(kind: BoundKind, subresource: string): FieldSet {
  const bySubresource = known.get(kind) ?? new Map<string, FieldSet>();
  const kept = bySubresource.get(subresource);
  if (checksCaches && kept !== undefined) checkAnswer("reset fields", kept, make(kind, subresource));
  const fields = kept ?? make(kind, subresource);
  known.set(kind, bySubresource.set(subresource, fields));
  return fields;
}
/** By kind and path: a kind that changes is another object. */
const known = new WeakMap<BoundKind, Map<string, FieldSet>>();

const statusOnly: FieldSet = { "f:status": leaf };

function make(kind: BoundKind, subresource: string): FieldSet {
  if (subresource === "" && kind.strategy.resets === undefined)
    return kind.subresources.has("status") ? statusOnly : emptySet;
  if (subresource === "")
    return setOfPaths(["status", ...(kind.strategy.resets ?? [])].map((path) => path.split(".").map(fieldToken)));
  const declared = kind.subresources.get(subresource)?.resets ?? [];
  if (declared === "none") return emptySet;
  const paths = declared.map((path) => path.split(".").map(fieldToken));
  if (subresource === "status") {
    const kept = conventionsOf(kind).keptByStatus(kind);
    paths.push(...kept.map((name) => [fieldToken(name)]));
  }
  return setOfPaths(paths);
}

/** Never owned by any manager: the identity of an object, and what only the server writes. */
export const strippedFields: FieldSet = setOfPaths(
  [
    ["apiVersion"],
    ["kind"],
    ["metadata"],
    ["metadata", "name"],
    ["metadata", "namespace"],
    ["metadata", "creationTimestamp"],
    ["metadata", "selfLink"],
    ["metadata", "uid"],
    ["metadata", "clusterName"],
    ["metadata", "generation"],
    ["metadata", "managedFields"],
    ["metadata", "resourceVersion"],
  ].map((path) => path.map(fieldToken)),
);
