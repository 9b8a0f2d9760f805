/** Owners and dependents of objects, by the references in their metadata. */

import { listAt, objectAt, textAt } from "../machinery/json/json-value.ts";

type Json = Readonly<Record<string, unknown>>;

export const referencesOf = (object: Json): readonly Json[] => listAt(objectAt(object, "metadata"), "ownerReferences");

/** The reference to the owner that controls the object; there is at most one. */
export const controllerOf = (object: Json): Json | undefined =>
  referencesOf(object).find((reference) => reference["controller"] === true);

/** The owner that is shown above an object: the one that controls it, or else the first. */
export const ownerOf = (object: Json): Json | undefined => controllerOf(object) ?? referencesOf(object)[0];

/** What is known of dependents, by the uids of their owners. */
export class Dependents<T> {
  readonly #byOwner = new Map<string, T[]>();

  /** `item` stands for the object. */
  add(object: Json, item: T): void {
    for (const reference of referencesOf(object)) {
      const uid = textAt(reference, "uid");
      const known = this.#byOwner.get(uid);
      if (known === undefined) this.#byOwner.set(uid, [item]);
      else if (known.at(-1) !== item) known.push(item); // an owner may be named twice
    }
  }

  /** In the order in which they were added. */
  of(uid: string): readonly T[] {
    return this.#byOwner.get(uid) ?? [];
  }
}
