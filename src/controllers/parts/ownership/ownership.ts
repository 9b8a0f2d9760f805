/** The objects of one kind that owners of another kind control: which they are, and whom to tell of their changes. */

import { inTimeSlices } from "../../../base/time-slice.ts";
import type { AnyObject } from "../../../client/contract.ts";
import { typeOf } from "../../../client/contract.ts";
import type { Informer } from "../../../client/informer/contract.ts";
import { keyOf, splitKey } from "../../../client/informer/keys.ts";
import type { Kind } from "../../../machinery/schema/kind.ts";
import type { OwnerReference } from "../../../machinery/schema/object-meta.ts";
import type { LabelSelector } from "../../../machinery/selectors/label-selector.ts";
import type { ControllerContext } from "../../contract.ts";
import type { Expectations } from "../pods/expectations.ts";
import { adoptAndRelease } from "./adopt.ts";
import { byController, type Part } from "./by-controller.ts";
import { claim } from "./claim.ts";
import { controllerRef, type Owned } from "./controller-ref.ts";
import { followOwned } from "./follow.ts";

/** An owner as claims need it. */
export interface Owner {
  readonly object: AnyObject;
  readonly reference: OwnerReference;
  readonly selector: LabelSelector;
  /** As the server has it now: the cache may not know yet that it was deleted. */
  readonly read: () => Promise<AnyObject>;
}

export interface OwnershipOptions<O extends AnyObject, T extends AnyObject> {
  readonly owners: Kind<O>;
  readonly objects: Kind<T>;
  readonly selectorOf: (owner: O) => LabelSelector;
  /** The objects that it is about. Absent: all. */
  readonly part?: Part<T>;
  /** Objects that are neither adopted nor released nor counted otherwise. Default: all count. */
  readonly counts?: (object: T) => boolean;
  /** A further condition for objects that may be adopted or kept, such as the form of a name. */
  readonly accepts?: (owner: O, object: T) => boolean;
}

export interface ControllerOwnership<O extends AnyObject, T extends AnyObject> {
  readonly owners: Informer<O>;
  readonly objects: Informer<T>;
  ownerOf(owner: O): Owner;
  /** What the owner controls after it has adopted orphans that it selects and released what it selects no more, because of `cause`. */
  claim(owner: O, cause?: string): Promise<T[]>;
  /** What the owner controls, as it is. */
  ownedBy(owner: Owned): readonly T[];
  /** How many objects the owner with this key controls; 0 without an owner. */
  countOf(key: string): number;
  /** Calls back with the key of an owner for each change of its objects. */
  follow(changed: (key: string, object: T) => void, expectations?: Expectations): void;
}

export function createOwnership<O extends AnyObject, T extends AnyObject>(
  { client, informers }: Pick<ControllerContext, "client" | "informers">,
  { owners: ownerKind, objects: kind, selectorOf, part, counts, accepts }: OwnershipOptions<O, T>,
): ControllerOwnership<O, T> {
  const owners = informers.of(ownerKind);
  const objects = informers.of(kind);
  const index = byController(objects, part);
  const type = typeOf(owners.address);
  const ownerOf = (object: O): Owner => ({
    object,
    reference: controllerRef(object, type),
    selector: selectorOf(object),
    read: () => client.of(ownerKind).get(splitKey(keyOf(object))),
  });
  return {
    owners,
    objects,
    ownerOf,
    async claim(owner, cause) {
      const { reference, selector, read } = ownerOf(owner);
      const steps = claim(index.candidatesOf(owner, selector), {
        owner,
        selector,
        ...(counts === undefined ? {} : { counts }),
        ...(accepts === undefined ? {} : { accepts: (object: T) => accepts(owner, object) }),
      });
      const claims = await inTimeSlices(steps);
      return await adoptAndRelease(claims, { client: client.of(kind), owner: reference, readOwner: read, cause });
    },
    ownedBy: (owner) => index.ownedBy(owner),
    countOf(key) {
      const owner = owners.get(key);
      return owner === undefined ? 0 : index.countOf(owner);
    },
    follow(changed, expectations) {
      followOwned({ objects, owners, selectorOf, changed, ...(expectations === undefined ? {} : { expectations }) });
    },
  };
}
