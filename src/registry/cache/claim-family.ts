/** Builds the collection of a kind that was added, came back or has changed, out of the objects that are already in memory. */

import { treeVisit } from "../../base/ordered-tree.ts";
import type { Family } from "../../machinery/schema/catalog.ts";
import { Change } from "./change.ts";
import { Collection } from "./collection.ts";
import type { StoredEntry } from "./entry.ts";
import type { EntryReader } from "./entry-reader.ts";
import type { WatchHistoryLimits } from "./history.ts";
import { find, snapshotOf } from "./snapshot.ts";
import type { UnclaimedObject } from "./unclaimed.ts";
import type { UnclaimedFamilies } from "./unclaimed-families.ts";

interface FamilyClaim {
  readonly family: Family;
  /** The collection of the family as it was declared before. */
  readonly known: Collection | undefined;
  readonly unclaimed: UnclaimedFamilies;
  readonly reader: EntryReader;
  readonly history: WatchHistoryLimits;
  /** The newest revision that the cache has applied. */
  readonly revision: bigint;
}

/** Does not end the watches of the collection it replaces. */
export function claimFamily(claim: FamilyClaim): Collection {
  const { family, known, unclaimed, history, revision } = claim;
  const collection = new Collection(family, revision, history, known?.observers);
  if (known === undefined && unclaimed.get(family.id)?.hasHistory !== false) replayChanges(collection, claim);
  else collection.restart({ live: snapshotOf(readAll(claim)) }, revision, undefined);
  return collection;
}

/** Makes the changes from before the kind was known its watch history. */
function replayChanges(collection: Collection, { family, unclaimed, reader }: FamilyClaim): void {
  const kept = unclaimed.get(family.id);
  const read = (path: string, { value, keyId, revision }: UnclaimedObject) =>
    reader.read(family, path, { stored: value, value, keyId }, revision);
  const base: StoredEntry[] = [];
  for (const [path, object] of kept?.base() ?? []) {
    const entry = read(path, object);
    if (entry !== undefined) base.push(entry);
  }
  collection.restart({ live: snapshotOf(base) }, kept?.completeAfter ?? unclaimed.unchangedAfter, undefined);
  for (const { path, revision, atMs, object } of kept?.changes ?? []) {
    const previous = find(collection.live, path);
    const entry = object && read(path, object);
    if (entry !== undefined || previous !== undefined) {
      collection.apply(new Change(path, revision, atMs, entry, previous));
    }
  }
}

function readAll({ family, known, unclaimed, reader }: FamilyClaim): StoredEntry[] {
  const entries: StoredEntry[] = [];
  const keep = (path: string, value: Uint8Array, keyId: string, revision: bigint): void => {
    const entry = reader.read(family, path, { stored: value, value, keyId }, revision);
    if (entry !== undefined) entries.push(entry);
  };
  for (const [path, one] of unclaimed.get(family.id)?.objects ?? []) keep(path, one.value, one.keyId, one.revision);
  if (known === undefined) return entries;
  treeVisit(known.live.entries, "", (entry) => {
    const late = reader.readLater(family, entry);
    if (late === undefined) keep(entry.path, entry.stored, entry.keyId, entry.revision);
    else entries.push(late);
    return true;
  });
  return entries;
}
