/** The newest objects of a family by namespace and name: what a get looks up, without building a key. */

import { treeVisit } from "../../base/ordered-tree.ts";
import type { ObjectRef } from "../contract/entry.ts";
import type { StoredEntry } from "./entry.ts";
import type { Snapshot } from "./snapshot.ts";

export class NameIndex {
  /** Names never contain a slash and namespaces neither, so no object can be found under another object's reference. */
  #namespaces = new Map<string, Map<string, StoredEntry>>();

  get({ namespace, name }: ObjectRef): StoredEntry | undefined {
    return this.#namespaces.get(namespace)?.get(name);
  }

  set(entry: StoredEntry): void {
    const names = this.#namespaces.get(entry.namespace);
    if (names === undefined) this.#namespaces.set(entry.namespace, new Map([[entry.name, entry]]));
    else names.set(entry.name, entry);
  }

  delete({ namespace, name }: ObjectRef): void {
    const names = this.#namespaces.get(namespace);
    names?.delete(name);
    if (names?.size === 0) this.#namespaces.delete(namespace);
  }

  replaceAll(snapshot: Snapshot): void {
    this.#namespaces = new Map();
    treeVisit(snapshot.entries, "", (entry) => {
      this.set(entry);
      return true;
    });
  }
}
