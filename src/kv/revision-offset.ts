/** A store whose revisions are those of another one plus a fixed number: it continues the revisions of a former store. */

import {
  type Kv,
  type KvChange,
  type KvEntry,
  type KvEvents,
  type KvHistory,
  type KvNoted,
  type KvRange,
  RevisionCompacted,
  RevisionConflict,
  RevisionUnknown,
} from "./contract.ts";

/**
 * The objects of a store at revision 5,000 are moved to an etcd whose revision is 12; with an offset of 6,000 it shows 6,012:
 *
 *     etcd 13 put a  ->  6,013       a watch from 4,990, of the former store: compacted
 */
export function withRevisionOffset(kv: Kv, offset: bigint): Kv {
  if (offset === 0n) return kv;
  const up = (revision: bigint) => revision + offset;
  /** A revision of the former store becomes one below all of this one. */
  const down = (revision: bigint) => (revision > offset ? revision - offset : 0n);
  const entryUp = (entry: KvEntry): KvEntry => ({
    ...entry,
    revision: up(entry.revision),
    created: up(entry.created),
  });
  const changeUp = (change: KvChange): KvChange => ({
    ...change,
    revision: up(change.revision),
  });
  const eventsUp = ({ changes, revision }: KvEvents): KvEvents => ({
    changes: changes.map(changeUp),
    revision: up(revision),
  });
  const errorUp = (error: unknown, key: string, revision: bigint): unknown => {
    if (error instanceof RevisionConflict) {
      return new RevisionConflict(key, revision, error.revision === 0n ? 0n : up(error.revision));
    }
    if (error instanceof RevisionCompacted) return new RevisionCompacted(revision, up(error.oldest));
    return error;
  };
  const translated = async <Result>(work: Promise<Result>, key: string, revision: bigint): Promise<Result> => {
    try {
      return await work;
    } catch (error) {
      if (error instanceof RevisionUnknown) throw new RevisionUnknown(revision, up(await kv.revision()));
      throw errorUp(error, key, revision);
    }
  };
  const assertKept = (revision: bigint): void => {
    if (revision < offset) throw new RevisionCompacted(revision, offset);
  };
  /** What a writer expects: a revision of the former store never matches, and must not become "absent". */
  const expectedDown = (revision: bigint) =>
    revision === 0n ? 0n : revision > offset ? revision - offset : neverRevision;
  return {
    revision: async () => up(await kv.revision()),
    ...(kv.newest && {
      newest: () => {
        const newest = kv.newest?.();
        return newest === undefined ? undefined : up(newest);
      },
    }),
    get: async (key) => {
      const entry = await kv.get(key);
      return entry && entryUp(entry);
    },
    range: async (prefix, options = {}): Promise<KvRange> => {
      const { revision, ...rest } = options;
      if (revision !== undefined) assertKept(revision);
      const inner = revision === undefined ? rest : { ...rest, revision: down(revision) };
      const range = await translated(kv.range(prefix, inner), prefix, revision ?? 0n);
      return { ...range, entries: range.entries.map(entryUp), revision: up(range.revision) };
    },
    put: async (key, value, expected, note) =>
      up(await translated(kv.put(key, value, expectedDown(expected), note), key, expected)),
    delete: async (key, expected, note) =>
      up(await translated(kv.delete(key, expectedDown(expected), note), key, expected)),
    ...(kv.history && {
      history: () => {
        const history = kv.history!();
        return history && withOffset(history, { up, down });
      },
    }),
    ...(kv.forgetHistory && { forgetHistory: () => kv.forgetHistory!() }),
    ...(kv.rewriteHistory && { rewriteHistory: (rewrite) => kv.rewriteHistory!(rewrite) }),
    async commit(writes) {
      const inner = writes.map((write) => ({ ...write, expected: expectedDown(write.expected) }));
      try {
        const revisions = await kv.commit(inner);
        return revisions.map((revision, at) => (writes[at]!.keeps ? writes[at]!.expected : up(revision)));
      } catch (error) {
        const { key = "", expected = 0n } =
          writes.find(({ key }) => error instanceof RevisionConflict && key === error.key) ?? writes[0] ?? {};
        throw errorUp(error, key, expected);
      }
    },
    async *watch(prefix, since, signal) {
      const inner = kv.watch(prefix, down(since), signal); // a closed store reports that, whatever is requested
      if (signal.aborted) return;
      assertKept(since);
      try {
        for await (const events of inner) yield eventsUp(events);
      } catch (error) {
        throw errorUp(error, prefix, since);
      }
    },
    compact: async (revision) => {
      if (revision > offset) await translated(kv.compact(down(revision)), "", revision);
    },
    ...(kv.pin && {
      pin: () => {
        const pin = kv.pin!();
        return { revision: up(pin.revision), release: pin.release };
      },
    }),
    ...(kv.reserve && {
      reserve: async () => {
        const pin = await kv.reserve!();
        return { revision: up(pin.revision), release: pin.release };
      },
    }),
    ...(kv.sizes && { sizes: () => kv.sizes!() }),
    ...(kv.condition && { condition: () => kv.condition!() }),
    close: () => kv.close(),
  };
}

/** A revision that no write gets: the largest that etcd's signed numbers hold. */
const neverRevision = 0x7fff_ffff_ffff_ffffn;

function withOffset(
  history: KvHistory,
  { up, down }: Readonly<Record<"up" | "down", (revision: bigint) => bigint>>,
): KvHistory {
  const entryUp = (entry: KvEntry | undefined) =>
    entry && { ...entry, revision: up(entry.revision), created: up(entry.created) };
  const notedUp = (noted: KvNoted): KvNoted => ({
    ...noted,
    note: noted.note, // may be made when it is asked for
    revision: up(noted.revision),
    previous: noted.previous === 0n ? 0n : up(noted.previous),
  });
  const notedDown = (noted: KvNoted): KvNoted => ({
    ...noted,
    revision: down(noted.revision),
    previous: down(noted.previous),
  });
  return {
    get oldest() {
      const { revision, atMs } = history.oldest;
      return { revision: up(revision), atMs };
    },
    get bytes() {
      return history.bytes;
    },
    async *changes({ before, after, ...query }) {
      const bounds = {
        ...(before !== undefined && { before: down(before) }),
        ...(after !== undefined && { after: down(after) }),
      };
      for await (const page of history.changes({ ...query, ...bounds })) yield page.map(notedUp);
    },
    async change(revision) {
      const found = await history.change(down(revision));
      return found && notedUp(found);
    },
    valueAt: async (key, revision) => entryUp(await history.valueAt(key, down(revision))),
    stateBefore: async (noted) => entryUp(await history.stateBefore(notedDown(noted))),
    stateAfter: async (noted) => entryUp(await history.stateAfter(notedDown(noted))),
    revisionAt: async (atMs) => up(await history.revisionAt(atMs)),
  };
}
