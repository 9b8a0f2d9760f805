/** Owner references: an object that another one depends on, and which deletes it when it is deleted. */

import type { AnyObject } from "../../client/contract.ts";
import { groupOf } from "../../client/requests/address.ts";

/**
 * A copy of `object` that `owner` controls: it is deleted with its owner, and its changes make the controller of the owner look
 * again. Throws if the owner was not read from a server, is in another namespace, or another owner controls the object.
 * @example
 * await client.of(Secret).apply(setOwner({ metadata: { name: "page" } }, site), { manager: "sites" });
 */
export function setOwner<T extends AnyObject>(object: T, owner: AnyObject): T {
  const { apiVersion, kind, metadata } = owner;
  const { uid, name, namespace } = metadata;
  if (!apiVersion || !kind || !uid || !name)
    throw new TypeError("an owner must have apiVersion, kind, name and uid, as the server returned them");
  if (namespace && namespace !== object.metadata.namespace)
    throw new TypeError(`the owner ${kind} ${name} is in namespace "${namespace}", and the object must be there too`);
  const others = (object.metadata.ownerReferences ?? []).filter((each) => each.uid !== uid);
  const rival = others.find(({ controller }) => controller === true);
  if (rival !== undefined) throw new TypeError(`${rival.kind} ${rival.name} controls the object already`);
  const reference = { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
  return { ...object, metadata: { ...object.metadata, ownerReferences: [...others, reference] } };
}

/** The key of the owner that controls the object, if it is of this group and kind; it is in the same namespace or in none. */
export function ownerKey(
  { metadata }: AnyObject,
  owner: { readonly group: string; readonly kind: string; readonly namespaced: boolean },
): string | undefined {
  const reference = metadata.ownerReferences?.find(({ controller }) => controller === true);
  if (reference === undefined || reference.kind !== owner.kind) return undefined;
  if (groupOf(reference.apiVersion) !== owner.group) return undefined;
  return owner.namespaced ? `${metadata.namespace ?? ""}/${reference.name}` : reference.name;
}
