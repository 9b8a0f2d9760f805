/** References from an object to the controller that owns it. */

import type { ObjectMeta, OwnerReference } from "../../../machinery/schema/object-meta.ts";

export interface Owned {
  readonly metadata: ObjectMeta;
}

/** At most one reference has `controller: true`. */
export const controllerOf = (object: Owned): OwnerReference | undefined =>
  object.metadata.ownerReferences?.find(({ controller }) => controller === true);

export const isControlledBy = (object: Owned, owner: Owned): boolean =>
  controllerOf(object)?.uid === (owner.metadata.uid ?? "");

/** `type`: the kind of the owner, with the API version in the vocabulary of the server. */
export function controllerRef(
  owner: Owned,
  type: { readonly apiVersion: string; readonly kind: string },
): OwnerReference {
  return {
    apiVersion: type.apiVersion,
    kind: type.kind,
    name: owner.metadata.name ?? "",
    uid: owner.metadata.uid ?? "",
    controller: true,
    blockOwnerDeletion: true,
  };
}
