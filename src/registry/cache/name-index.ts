/** The newest objects of a family by namespace and name: what a get looks up, without building a key. */

import { treeVisit } from "../../base/ordered-tree.ts";
import type { ObjectRef } from "../contract/entry.ts";
import type { StoredEntry } from "./entry.ts";
import type { Snapshot } from "./snapshot.ts";

export class NameIndex {
  /** Names never contain a slash and namespaces neither, so no object can be found under another object's reference. */
  #namespaces = new Map<string, Map<string, StoredEntry>>();
  /** Namespaces whose names a fork has too: they are copied before they change. */
  #shared: Set<string> | undefined;

  get({ namespace, name }: ObjectRef): StoredEntry | undefined {
    return this.#namespaces.get(namespace)?.get(name);
  }

  set(entry: StoredEntry): void {
    const names = this.#own(entry.namespace);
    if (names === undefined) this.#namespaces.set(entry.namespace, new Map([[entry.name, entry]]));
    else names.set(entry.name, entry);
  }

  delete({ namespace, name }: ObjectRef): void {
    const names = this.#own(namespace);
    names?.delete(name);
    if (names?.size === 0) this.#namespaces.delete(namespace);
  }

  /** An index that begins with the same objects; from now on the two change independently. */
  fork(): NameIndex {
    const fork = new NameIndex();
    fork.#namespaces = new Map(this.#namespaces);
    fork.#shared = new Set(this.#namespaces.keys());
    this.#shared = new Set(this.#namespaces.keys());
    return fork;
  }

  #own(namespace: string): Map<string, StoredEntry> | undefined {
    const names = this.#namespaces.get(namespace);
    if (names === undefined || !this.#shared?.delete(namespace)) return names;
    const copy = new Map(names);
    this.#namespaces.set(namespace, copy);
    return copy;
  }

  replaceAll(snapshot: Snapshot): void {
    this.#namespaces = new Map();
    this.#shared = undefined;
    treeVisit(snapshot.entries, "", (entry) => {
      this.set(entry);
      return true;
    });
  }
}
