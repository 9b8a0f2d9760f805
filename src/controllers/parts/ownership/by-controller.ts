/** Objects by the controller that owns them, and those without one by their namespace. */

import type { AnyObject } from "../../../client/contract.ts";
import type { Informer } from "../../../client/informer/contract.ts";
import { controllerOf, type Owned } from "./controller-ref.ts";

interface ByController<T> {
  /** What the owner controls. */
  ownedBy(owner: Owned): readonly T[];
  /** How many it controls. */
  countOf(owner: Owned): number;
  /** What an owner may claim: those, and the objects of its namespace without a controller. */
  candidatesOf(owner: Owned): readonly T[];
}

export function byController<T extends AnyObject>(informer: Informer<T>): ByController<T> {
  const owned = informer.index("controller", (object) => {
    const uid = controllerOf(object)?.uid;
    return uid === undefined ? [] : [uid];
  });
  const orphans = informer.index("orphan", (object) =>
    controllerOf(object) === undefined ? [object.metadata.namespace ?? ""] : [],
  );
  return {
    ownedBy: ({ metadata }) => owned.get(metadata.uid ?? ""),
    countOf: ({ metadata }) => owned.count(metadata.uid ?? ""),
    candidatesOf: ({ metadata }) => [...owned.get(metadata.uid ?? ""), ...orphans.get(metadata.namespace ?? "")],
  };
}
