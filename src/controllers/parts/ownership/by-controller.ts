/** Objects by the controller that owns them, and those without one by their namespace. */

import type { AnyObject } from "../../../client/contract.ts";
import type { Informer, LabelMatcher } from "../../../client/informer/contract.ts";
import { controllerOf, type Owned } from "./controller-ref.ts";

interface ByController<T> {
  /** What the owner controls. */
  ownedBy(owner: Owned): readonly T[];
  /** How many it controls. */
  countOf(owner: Owned): number;
  /** What an owner may claim: those, and the objects of its namespace without a controller that it selects. Each is decoded when it is read. */
  candidatesOf(owner: Owned, selector: LabelMatcher): Iterable<T>;
}

/** Some objects of a kind, which indexes are about. */
export interface Part<T> {
  /** Names the indexes. */
  readonly name: string;
  readonly has: (object: T) => boolean;
}

/** `part`: all others are ignored, and cost nothing however many they are. Absent: none is. */
export function byController<T extends AnyObject>(informer: Informer<T>, part?: Part<T>): ByController<T> {
  const nameOf = (name: string) => (part === undefined ? name : `${name} of ${part.name}`);
  const has = part?.has ?? (() => true);
  const owned = informer.index(nameOf("controller"), (object) => {
    const uid = controllerOf(object)?.uid;
    return uid === undefined || !has(object) ? [] : [uid];
  });
  const orphans = informer.index(nameOf("orphan"), (object) =>
    controllerOf(object) === undefined && has(object) ? [object.metadata.namespace ?? ""] : [],
  );
  return {
    ownedBy: ({ metadata }) => owned.get(metadata.uid ?? ""),
    countOf: ({ metadata }) => owned.count(metadata.uid ?? ""),
    *candidatesOf({ metadata }, selector) {
      yield* owned.each(metadata.uid ?? "");
      yield* orphans.each(metadata.namespace ?? "", selector);
    },
  };
}
