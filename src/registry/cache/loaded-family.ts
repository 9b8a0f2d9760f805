/** Makes the state of a family out of what the store holds, before a cache begins again with it. */

import { keyOrder } from "../../base/key-order.ts";
import { treeFrom } from "../../base/ordered-tree.ts";
import type { Steps } from "../../base/time-slice.ts";
import type { Family } from "../../machinery/schema/catalog.ts";
import { pathInKey } from "../keys.ts";
import type { Collection } from "./collection.ts";
import type { StoredEntry } from "./entry.ts";
import type { EntryReader } from "./entry-reader.ts";
import { NameIndex } from "./name-index.ts";
import type { ReadChange } from "./read-values.ts";
import { emptySnapshot, find, indexInSlices, type Snapshot, withTree } from "./snapshot.ts";
import type { UnreadableObjects } from "./unreadable.ts";

export interface LoadedFamily {
  readonly family: Family;
  readonly live: Snapshot;
  readonly names: NameIndex;
  readonly bytes: number;
  /** Entries that the collection did not have. */
  readonly changed: readonly StoredEntry[];
}

interface FamilyLoad {
  /** The state before, whose entries are used again. */
  readonly collection: Collection;
  /** In key order. */
  readonly stored: readonly ReadChange[];
  readonly reader: EntryReader;
  readonly unreadable: UnreadableObjects;
}

/** Has no indexes. */
export function* readFamily({ collection, stored, reader, unreadable }: FamilyLoad): Steps<LoadedFamily> {
  const { family, live: before } = collection;
  const keys: string[] = [];
  const entries: StoredEntry[] = [];
  const changed: StoredEntry[] = [];
  const names = new NameIndex();
  let bytes = 0;
  for (const { key, read, revision: at } of stored) {
    const path = pathInKey(family.id, key);
    const known = find(before, path);
    const entry = known?.revision === at ? known : read && reader.read(family, path, read, at, unreadable);
    yield;
    if (entry === undefined) continue;
    keys.push(keyOrder(path));
    entries.push(entry);
    names.set(entry);
    bytes += entry.size;
    if (entry !== known) changed.push(entry);
  }
  const live = { entries: treeFrom(keys, entries), indexes: emptySnapshot.indexes };
  return { family, live, names, bytes, changed };
}

/** With the indexes that the collection had. */
export async function indexedAs(loaded: LoadedFamily, { live: before }: Collection): Promise<LoadedFamily> {
  let { live } = loaded;
  for (const name of before.indexes.keys()) live = withTree(live, name, await indexInSlices(live, name));
  return { ...loaded, live };
}
