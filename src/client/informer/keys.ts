/** Keys of objects in caches and queues. */

import type { AnyObject, Ref } from "../contract.ts";

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
