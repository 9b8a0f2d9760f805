/** Where restored and migrated objects go: a folder, or an etcd or PostgreSQL that holds nothing yet. */

import { silentLog } from "../../base/log.ts";
import type { Kv, KvEntry } from "../../kv/contract.ts";
import { fillStore } from "../../kv/embedded/fill.ts";
import { type Level, levelDefault, levels } from "../../machinery/schema/levels.ts";
import { storeLevelKey } from "../../registry/keys.ts";
import { openDataFolder, partsOf, recordLevel } from "../stores/data-folder.ts";
import { beginMark, finishMark, isLocalKey, readMark } from "../stores/etcd-mark.ts";
import { openBareRemote, type RemoteTarget, storeNames } from "../stores/store.ts";

interface Incoming {
  readonly vocabulary: string;
  /** At or above the revisions of all entries; the store continues after it. */
  readonly revision: bigint;
  readonly pages: AsyncIterable<readonly KvEntry[]>;
  /** Called with the number of entries written so far. */
  onEntries?(entries: number): void;
}

/** Whole, or not at all: the entries get their place in one step. Objects keep their resourceVersion. Returns how many there are. */
export async function fillFolder(folder: string, incoming: Incoming): Promise<number> {
  const { vocabulary, pages, ...rest } = incoming;
  await openDataFolder(folder, vocabulary, { isRestore: true });
  let level: Level = levelDefault;
  async function* noticed() {
    for await (const page of pages) {
      level = levelIn(page) ?? level;
      yield page;
    }
  }
  const count = await fillStore({ folder: partsOf(folder).store, pages: noticed(), ...rest });
  await recordLevel(folder, level);
  return count;
}

/** The level of the store that the entries are of, if one of them says it. */
function levelIn(page: readonly KvEntry[]): Level | undefined {
  const found = page.find(({ key }) => key === storeLevelKey);
  return found && levels.find((level) => level === Buffer.from(found.value).toString("utf8"));
}

/** How many writes are in progress at once. */
const writesAtOnceMax = 64;

/**
 * No such store has a step that makes any number of writes at once, so it is marked as unfinished until the last one is there, and no server
 * starts on it before. Every object gets a new resourceVersion. Returns how many there are.
 */
export async function fillRemote(target: RemoteTarget, incoming: Incoming): Promise<number> {
  const kv = await openBareRemote(target, silentLog);
  try {
    await clear(kv, target);
    await beginMark(kv, incoming.vocabulary);
    let entries = 0;
    for await (const page of incoming.pages) {
      for (let at = 0; at < page.length; at += writesAtOnceMax) {
        const group = page.slice(at, at + writesAtOnceMax);
        await Promise.all(group.map(({ key, value }) => kv.put(key, value, 0n)));
        entries += group.length;
        incoming.onEntries?.(entries);
      }
    }
    await finishMark(kv, { vocabulary: incoming.vocabulary, offset: incoming.revision });
    return entries;
  } finally {
    await kv.close();
  }
}

/** A store is never mixed with another one; what an unfinished restore left behind is removed. */
async function clear(kv: Kv, target: RemoteTarget): Promise<void> {
  const { store, place, otherPlace } = storeNames(target);
  const mark = await readMark(kv, storeNames(target));
  const isLeftBehind = mark !== undefined && !mark.isFinished;
  for (;;) {
    const { entries } = await kv.range("", { limit: 1_000, uncounted: true });
    const others = entries.filter(({ key }) => !isLocalKey(key));
    if (mark?.isFinished || (others.length > 0 && !isLeftBehind)) {
      throw new Error(`${store} has contents ${place} already; choose another ${otherPlace} or remove them`);
    }
    if (others.length === 0) return;
    await Promise.all(others.map(({ key, revision }) => kv.delete(key, revision)));
  }
}
