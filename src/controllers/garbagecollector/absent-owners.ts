/** Owners that were looked up and do not exist: a uid is never reused, so they need not be looked up again. */

import { groupOf } from "../../client/requests/address.ts";

/** The least recently used ones are dropped, and looked up again. */
const absentOwnersMax = 10_000;

interface Named {
  readonly uid: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
}

export class AbsentOwners {
  /** By uid: the group, kind and name it was looked up with. The same uid under another name is looked up separately. */
  readonly #known = new Map<string, string>();

  add(owner: Named, namespace: string): void {
    this.#known.delete(owner.uid);
    this.#known.set(owner.uid, placeOf(owner, namespace));
    if (this.#known.size <= absentOwnersMax) return;
    for (const oldest of this.#known.keys()) {
      this.#known.delete(oldest);
      return;
    }
  }
  has(owner: Named, namespace: string): boolean {
    return this.#known.get(owner.uid) === placeOf(owner, namespace);
  }
  forget(uid: string): void {
    this.#known.delete(uid);
  }
}

const placeOf = ({ apiVersion, kind, name }: Named, namespace: string) =>
  `${groupOf(apiVersion)} ${kind} ${namespace} ${name}`;
