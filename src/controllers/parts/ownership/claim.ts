/** Which objects belong to a controller: it adopts orphans that its selector matches and releases those it stops matching. */

import type { Steps } from "../../../base/time-slice.ts";
import { type LabelSelector, labelMap } from "../../../machinery/selectors/label-selector.ts";
import { isDeleting } from "../pods/state.ts";
import { controllerOf, type Owned } from "./controller-ref.ts";

export interface OwnershipClaims<T> {
  /** Owned, and matching: these count at once. */
  readonly owned: T[];
  /** Matching orphans: they count once their owner reference is written. */
  readonly adopt: T[];
  /** Owned, and not matching any more. */
  readonly release: T[];
}

interface ClaimOptions<T> {
  readonly owner: Owned;
  readonly selector: LabelSelector;
  /** Objects that are neither adopted nor released nor counted otherwise. Default: all count. */
  readonly counts?: (object: T) => boolean;
  /** A further condition for objects that may be adopted or kept, such as the form of a name. */
  readonly accepts?: (object: T) => boolean;
}

/**
 * `candidates` are objects of the owner's namespace, of which there may be thousands. A terminating owner adopts and releases nothing.
 */
export function* claim<T extends Owned>(candidates: Iterable<T>, options: ClaimOptions<T>): Steps<OwnershipClaims<T>> {
  const { owner, selector, counts = () => true, accepts = () => true } = options;
  const claims: OwnershipClaims<T> = { owned: [], adopt: [], release: [] };
  const matches = (object: T) => selector.matches(labelMap(object.metadata.labels)) && accepts(object);
  for (const object of candidates) {
    yield;
    if (!counts(object)) continue;
    const controller = controllerOf(object);
    if (controller !== undefined) {
      if (controller.uid !== owner.metadata.uid) continue;
      if (matches(object)) claims.owned.push(object);
      else if (!isDeleting(owner)) claims.release.push(object);
    } else if (!isDeleting(owner) && !isDeleting(object) && matches(object)) {
      claims.adopt.push(object);
    }
  }
  return claims;
}
