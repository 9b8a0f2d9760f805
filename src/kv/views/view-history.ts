/** The history of a view: of what the store keeps, the changes of the view's own keys. */

import type { KvEntry, KvHistory, KvNoted } from "../contract.ts";

interface ViewHistoryOptions {
  /** Of the store. */
  readonly history: KvHistory;
  readonly prefix: string;
  /** Whether the key is one of the base: a first write of it replaces something, and its removal is a mark. */
  isOfBase(key: string): boolean;
  /** What the view shows for a key that holds this in the store. */
  shown(key: string, own: KvEntry | undefined): KvEntry | undefined;
}

export function createViewHistory({ history, prefix, isOfBase, shown }: ViewHistoryOptions): KvHistory {
  const keyOf = (key: string) => key.slice(prefix.length);
  const inStore = (noted: KvNoted): KvNoted => ({ ...noted, note: noted.note, key: prefix + noted.key });
  const valueAt = async (key: string, revision: bigint) => shown(key, await history.valueAt(prefix + key, revision));
  const stateBefore = async (noted: KvNoted) =>
    isOfBase(noted.key)
      ? valueAt(noted.key, noted.revision - 1n)
      : shown(noted.key, await history.stateBefore(inStore(noted)));
  const stateAfter = async (noted: KvNoted) =>
    isOfBase(noted.key)
      ? valueAt(noted.key, noted.revision)
      : shown(noted.key, await history.stateAfter(inStore(noted)));
  const told = async (noted: KvNoted): Promise<KvNoted> => {
    const own: KvNoted = { ...noted, note: noted.note, key: keyOf(noted.key) };
    if (!isOfBase(own.key)) return own;
    const [before, after] = [await stateBefore(own), await stateAfter(own)];
    return { ...own, note: noted.note, previous: before?.revision ?? 0n, deleted: after === undefined };
  };
  return {
    get oldest() {
      return history.oldest;
    },
    get bytes() {
      return history.bytes;
    },
    async *changes({ key, ...query }) {
      const wanted = key === undefined ? query : { ...query, key: prefix + key };
      for await (const page of history.changes(wanted)) {
        // Nothing is told of the keys of others, and a page without changes is a sign of work.
        const own: KvNoted[] = [];
        for (const noted of page) if (noted.key.startsWith(prefix)) own.push(await told(noted));
        yield own;
      }
    },
    async change(revision) {
      const found = await history.change(revision);
      return found?.key.startsWith(prefix) ? told(found) : undefined;
    },
    valueAt,
    stateBefore,
    stateAfter,
    revisionAt: (atMs) => history.revisionAt(atMs),
  };
}
