/** Keys of objects in caches and queues. */

import type { AnyObject, CachedObject, Ref } from "../contract.ts";

/** "namespace/name", or "name" of cluster-wide kinds. */
export function keyOf({ metadata: { namespace, name = "" } }: AnyObject): string {
  return namespace ? `${namespace}/${name}` : name;
}

export function keyOfRef({ namespace, name }: Ref): string {
  return namespace ? `${namespace}/${name}` : name;
}

export function splitKey(key: string): Required<Pick<Ref, "name">> & { readonly namespace: string } {
  const slash = key.indexOf("/");
  return slash < 0 ? { namespace: "", name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/** How the objects of one client are told apart. */
export interface ObjectKeys {
  held(held: CachedObject<AnyObject>): string;
  object(object: AnyObject): string;
  /** `key`: of another object where `object` is. */
  beside(object: AnyObject, key: string): string;
}

/** Of one server, or of one workspace. */
export const ownKeys: ObjectKeys = { held: keyOfRef, object: keyOf, beside: (_object, key) => key };

/** The workspace of an object that was read across workspaces. The server sets the annotation in such reads, whatever the object says. */
export const workspaceOf = ({ metadata }: AnyObject): string => metadata.annotations?.["kcp.io/cluster"] ?? "";

/** Of all workspaces: "workspace|namespace/name". */
export const keysAcross: ObjectKeys = {
  held: (held) => keysAcross.object(held.object()),
  object: (object) => keysAcross.beside(object, keyOf(object)),
  beside: (object, key) => `${workspaceOf(object)}|${key}`,
};
