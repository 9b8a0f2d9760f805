/** The keys of objects in the store. */

import { keyBytesMax } from "../kv/contract.ts";
import type { Family } from "../machinery/schema/catalog.ts";
import type { FamilyId } from "../machinery/schema/identity.ts";
import type { ObjectRef } from "./contract/entry.ts";

/**
 * The keys of all objects begin with this prefix: `/core/pods/NAMESPACE/NAME`, `/core/nodes/NAME`,
 * `/custom:example.com/crontabs/NAMESPACE/NAME`.
 */
export const objectPrefix = "/";

/** Outside `objectPrefix`, so that no family and no name can reach it. */
export const continueKeyName = "registry/continue-key";
export const storeLevelKey = "registry/level";
export const historyKindsKey = "registry/history-kinds";
export const claimPrefix = "registry/claims/";
export const addressLeasePrefix = "registry/address-leases/";

export const prefixOf = (family: Pick<Family, "id">): string => `/${family.id}/`;

export const keyOf = (family: Family, ref: ObjectRef): string => prefixOf(family) + pathOf(family, ref);

/** The key without the family's prefix: `NAMESPACE/NAME`, or `NAME` for cluster-wide kinds. */
export const pathOf = (family: Family, ref: ObjectRef): string =>
  family.namespaced ? `${ref.namespace}/${ref.name}` : ref.name;

/**
 * Whether an object of this reference can be stored under a key that belongs to the family alone. A slash or an empty name would make a key of another
 * namespace or kind; a lone surrogate would become another text in UTF-8; a key that is too long is refused by stores.
 */
export function isStorable(family: Family, ref: ObjectRef): boolean {
  const { name, namespace } = ref;
  if (!isSegment(name) || !(family.namespaced ? isSegment(namespace) : namespace === "")) return false;
  // A character has at most three bytes for each UTF-16 unit, so names of usual length need no exact count.
  const unitsMax = family.id.length + namespace.length + name.length + 3;
  return unitsMax * 3 <= keyBytesMax || Buffer.byteLength(keyOf(family, ref)) <= keyBytesMax;
}

function isSegment(text: string): boolean {
  return text !== "" && text.length <= keyBytesMax && !text.includes("/") && text.isWellFormed();
}

/** `/batch/jobs/a/b` -> `batch/jobs` and `a/b`. Undefined: not the key of an object. */
export function splitKey(key: string): { family: FamilyId; path: string } | undefined {
  if (!key.startsWith(objectPrefix)) return undefined;
  const group = key.indexOf("/", 1);
  const resource = group < 0 ? -1 : key.indexOf("/", group + 1);
  if (resource < 0 || resource + 1 === key.length) return undefined;
  // A key begins with the identity of a family, which has two segments.
  return { family: key.slice(1, resource) as FamilyId, path: key.slice(resource + 1) };
}

/** The rest of a key of the family. */
export const pathInKey = (id: FamilyId, key: string): string => key.slice(id.length + 2);

export function refOf(family: Pick<Family, "namespaced">, path: string): ObjectRef {
  if (!family.namespaced) return { namespace: "", name: path };
  const slash = path.indexOf("/");
  return { namespace: path.slice(0, Math.max(0, slash)), name: path.slice(slash + 1) };
}

/** The smallest text after `text`. */
export const behind = (text: string): string => `${text}\0`;
