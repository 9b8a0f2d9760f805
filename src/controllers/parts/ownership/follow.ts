/** Notifies the owners of objects of every change, and possible owners of every orphan. */

import type { AnyObject } from "../../../client/contract.ts";
import type { Informer } from "../../../client/informer/contract.ts";
import { keyOf } from "../../../client/informer/keys.ts";
import { sameValue } from "../../../machinery/schema/same-value.ts";
import { type LabelSelector, labelSelectorFromObject } from "../../../machinery/selectors/label-selector.ts";
import type { Expectations } from "../pods/expectations.ts";
import { isDeleting } from "../pods/state.ts";
import { followSelectors } from "../selectors/selectors.ts";
import { controllerOf } from "./controller-ref.ts";

interface Following<O extends AnyObject, T extends AnyObject> {
  readonly objects: Informer<T>;
  readonly owners: Informer<O>;
  readonly selectorOf: (owner: O) => LabelSelector;
  /** Called with the key of an owner; `object` and `old`: what changed. */
  readonly changed: (key: string, object: T, old: T | undefined) => void;
  /** The expectations of the owner, which observed writes lower. Absent: it has none. */
  readonly expectations?: Expectations;
}

/** The returned function ends it. */
export function followOwned<O extends AnyObject, T extends AnyObject>(following: Following<O, T>): () => void {
  const { objects, owners, selectorOf, changed, expectations } = following;
  const { kind } = owners.address;
  const selectors = followSelectors(owners, (owner) => {
    const selector = selectorOf(owner);
    // A selector that selects everything owns nothing: that was a mistake in old clients.
    return selector.empty ? labelSelectorFromObject(undefined) : selector;
  });

  const ownerOf = (object: T): O | undefined => {
    const reference = controllerOf(object);
    if (reference?.kind !== kind) return undefined;
    const { namespace } = object.metadata;
    const owner = owners.get(namespace ? `${namespace}/${reference.name}` : reference.name);
    return owner?.metadata.uid === reference.uid ? owner : undefined;
  };
  const tellPossibleOwners = (object: T, old?: T) => {
    for (const key of selectors.matching(object.metadata.namespace, object.metadata.labels)) changed(key, object, old);
  };
  const gone = (object: T, old?: T) => {
    const owner = ownerOf(object);
    if (owner === undefined) return;
    expectations?.deletionObserved(keyOf(owner), keyOf(object));
    changed(keyOf(owner), object, old);
  };

  return objects.on({
    add(object) {
      // After a restart terminating objects appear as new ones.
      if (isDeleting(object)) return gone(object);
      if (controllerOf(object) === undefined) return tellPossibleOwners(object);
      const owner = ownerOf(object);
      if (owner === undefined) return;
      expectations?.creationObserved(keyOf(owner));
      changed(keyOf(owner), object, undefined);
    },
    update(object, old) {
      if (object.metadata.resourceVersion === old.metadata.resourceVersion) return;
      const isMoved = !sameValue(controllerOf(object), controllerOf(old));
      const former = isMoved ? ownerOf(old) : undefined;
      if (former !== undefined) changed(keyOf(former), object, old);
      if (isDeleting(object)) return gone(object, old);
      const owner = ownerOf(object);
      if (owner !== undefined) return changed(keyOf(owner), object, old);
      const isRelabelled = !sameValue(object.metadata.labels, old.metadata.labels);
      if (controllerOf(object) === undefined && (isRelabelled || isMoved)) tellPossibleOwners(object, old);
    },
    delete: (object) => gone(object),
  });
}
