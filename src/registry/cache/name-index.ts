/** The newest objects of a family by namespace and name: what a get looks up, without building a key. */

import { treeVisit } from "../../base/ordered-tree.ts";
import type { ObjectRef } from "../contract/entry.ts";
import type { StoredEntry } from "./entry.ts";
import type { Snapshot } from "./snapshot.ts";

export class NameIndex {
  /** Names never contain a slash and namespaces neither, so no object can be found under another object's reference. */
  #namespaces = new Map<string, Names>();
  /** Namespaces whose names a fork has too: they are forked before they change. */
  #shared: Set<string> | undefined;

  get({ namespace, name }: ObjectRef): StoredEntry | undefined {
    return this.#namespaces.get(namespace)?.get(name);
  }

  set(entry: StoredEntry): void {
    let names = this.#own(entry.namespace);
    if (names === undefined) {
      names = new Names();
      this.#namespaces.set(entry.namespace, names);
    }
    names.set(entry);
  }

  delete({ namespace, name }: ObjectRef): void {
    const names = this.#own(namespace);
    names?.delete(name);
    if (names?.size === 0) this.#namespaces.delete(namespace);
  }

  /** An index that begins with the same objects; from now on the two change independently. */
  fork(): NameIndex {
    const fork = new NameIndex();
    if (this.#namespaces.size === 0) return fork;
    fork.#namespaces = new Map(this.#namespaces);
    fork.#shared = new Set(this.#namespaces.keys());
    this.#shared = new Set(this.#namespaces.keys());
    return fork;
  }

  #own(namespace: string): Names | undefined {
    const names = this.#namespaces.get(namespace);
    if (names === undefined || !this.#shared?.delete(namespace)) return names;
    const fork = names.fork();
    this.#namespaces.set(namespace, fork);
    return fork;
  }

  static of(snapshot: Snapshot): NameIndex {
    const names = new NameIndex();
    treeVisit(snapshot.entries, "", (entry) => {
      names.set(entry);
      return true;
    });
    return names;
  }

  /** Holds from now on what `other` holds, which is not used any more. */
  replaceBy(other: NameIndex): void {
    this.#namespaces = other.#namespaces;
    this.#shared = other.#shared;
  }
}

/** Copying a namespace of 10,000 objects takes milliseconds: a fork copies only what was changed since the first fork, up to this part. */
const changedPartMax = 1 / 4;

/** The objects of one namespace: those of before the first fork, which all forks share, and what has changed since. */
class Names {
  /** Undefined: never forked, so all names are in `#changed`. */
  #base: ReadonlyMap<string, StoredEntry> | undefined;
  /** Undefined: deleted from the base. */
  #changed = new Map<string, StoredEntry | undefined>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(name: string): StoredEntry | undefined {
    const changed = this.#changed.get(name);
    if (changed !== undefined || this.#base === undefined || this.#changed.has(name)) return changed;
    return this.#base.get(name);
  }

  set(entry: StoredEntry): void {
    if (this.get(entry.name) === undefined) this.#size++;
    this.#changed.set(entry.name, entry);
    this.#mergeIfLarge();
  }

  delete(name: string): void {
    if (this.get(name) === undefined) return;
    this.#size--;
    if (this.#base?.has(name)) this.#changed.set(name, undefined);
    else this.#changed.delete(name);
    this.#mergeIfLarge();
  }

  /** Neither of the two may be changed afterwards without being forked again, since both have the same base. */
  fork(): Names {
    const fork = new Names();
    fork.#size = this.#size;
    if (this.#base === undefined) {
      // Without a base nothing is marked as deleted.
      fork.#base = this.#changed as ReadonlyMap<string, StoredEntry>;
      return fork;
    }
    fork.#base = this.#base;
    fork.#changed = new Map(this.#changed);
    return fork;
  }

  #mergeIfLarge(): void {
    if (this.#base === undefined || this.#changed.size <= this.#base.size * changedPartMax) return;
    const all = new Map<string, StoredEntry | undefined>(this.#base);
    for (const [name, entry] of this.#changed) {
      if (entry === undefined) all.delete(name);
      else all.set(name, entry);
    }
    this.#base = undefined;
    this.#changed = all;
  }
}
