import { describe, expect, test } from "vitest";
import { seededRandom } from "../base/seeded-random.ts";
import { type Kv, type KvChange, type KvEntry, OutcomeUnknown, RevisionConflict } from "./contract.ts";
import { bytes, follow } from "./follow.suite.ts";
import { recordHistory } from "./histories.suite.ts";
import { isLinearizable } from "./linearizable.suite.ts";
import { createMemoryKv } from "./memory/memory.ts";

/** A correct store with a bug in one method: the checks that all stores pass must notice it. */
type Bug = (kv: Kv, sometimes: () => boolean) => Partial<Kv>;

const latency = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const otherBytes = (entry: KvEntry): KvEntry => ({ ...entry, value: bytes("other") });

const bugs: { why: string; bug: Bug }[] = [
  {
    why: "a write ignores its expected revision",
    bug: (kv, sometimes) => ({
      async put(key, value, expected) {
        const now = (await kv.get(key))?.revision ?? 0n;
        return kv.put(key, value, sometimes() ? now : expected);
      },
    }),
  },
  {
    why: "a write compares, waits, and then writes",
    bug: (kv) => ({
      async put(key, value, expected) {
        const before = await kv.get(key);
        if ((before?.revision ?? 0n) !== expected) throw new RevisionConflict(key, expected, before?.revision);
        await latency();
        return kv.put(key, value, (await kv.get(key))?.revision ?? 0n);
      },
    }),
  },
  {
    why: "a write is acknowledged and lost",
    bug: (kv, sometimes) => ({
      async put(key, value, expected) {
        const before = await kv.get(key);
        if ((before?.revision ?? 0n) !== expected || !sometimes()) return kv.put(key, value, expected);
        return (await kv.revision()) + 1n;
      },
    }),
  },
  {
    why: "a refused write happens",
    bug: (kv, sometimes) => ({
      async put(key, value, expected) {
        const revision = await kv.put(key, value, expected);
        if (sometimes()) throw new RevisionConflict(key, expected);
        return revision;
      },
    }),
  },
  {
    why: "a write of unknown outcome happens twice",
    bug: (kv, sometimes) => ({
      async put(key, value, expected) {
        const revision = await kv.put(key, value, expected);
        if (!sometimes()) return revision;
        await latency();
        await kv.put(key, value, (await kv.get(key))?.revision ?? 0n);
        throw new OutcomeUnknown(key);
      },
    }),
  },
  {
    why: "a revision goes back",
    bug: (kv, sometimes) => ({
      async put(key, value, expected) {
        const revision = await kv.put(key, value, expected);
        return sometimes() && revision > 1n ? revision - 1n : revision;
      },
    }),
  },
  {
    why: "a delete is acknowledged and does nothing",
    bug: (kv, sometimes) => ({
      async delete(key, expected) {
        const before = await kv.get(key);
        if (before?.revision !== expected || !sometimes()) return kv.delete(key, expected);
        return (await kv.revision()) + 1n;
      },
    }),
  },
  {
    why: "a read comes from a stale cache",
    bug: (kv, sometimes) => {
      let cached: KvEntry | undefined;
      return {
        async get(key) {
          if (sometimes()) return cached?.key === key ? cached : undefined;
          cached = await kv.get(key);
          return cached;
        },
      };
    },
  },
  {
    why: "a read shows a write before it has happened",
    bug: (kv, sometimes) => {
      let early: KvEntry | undefined;
      return {
        async put(key, value, expected) {
          const revision = (await kv.revision()) + 1n;
          early = { key, value, revision, created: revision };
          await latency();
          try {
            return await kv.put(key, value, expected);
          } finally {
            early = undefined;
          }
        },
        async get(key) {
          await latency();
          return early?.key === key && sometimes() ? early : kv.get(key);
        },
      };
    },
  },
  {
    why: "a read has the right revision and other bytes",
    bug: (kv, sometimes) => ({
      async get(key) {
        const entry = await kv.get(key);
        return entry !== undefined && sometimes() ? otherBytes(entry) : entry;
      },
    }),
  },
];

describe("the check of histories finds a store in which", () => {
  for (const { why, bug } of bugs) {
    test(why, async () => {
      expect(await roundsUntilNoticed(bug)).toBeLessThan(50);
    });
  }

  test("nothing is wrong, to be right", async () => {
    expect(await roundsUntilNoticed(() => ({}))).toBe(50);
  });
});

async function roundsUntilNoticed(bug: Bug): Promise<number> {
  for (let round = 0; round < 50; round += 1) {
    const random = seededRandom(round);
    const kv = createMemoryKv();
    const wrong = withChanges(
      kv,
      bug(kv, () => random() < 0.1),
    );
    try {
      const history = await recordHistory(wrong, "key", { clients: 5, steps: 12, seed: round });
      if (!isLinearizable(history)) return round;
    } catch (error) {
      if (!String(error).includes("holds")) throw error;
      return round;
    }
  }
  return 50;
}

const watchBugs: { why: string; spoil: (changes: readonly KvChange[]) => readonly KvChange[] }[] = [
  { why: "loses a change", spoil: (changes) => changes.slice(1) },
  { why: "sends a change twice", spoil: (changes) => [...changes, ...changes.slice(-1)] },
  { why: "sends changes in another order", spoil: (changes) => [...changes].reverse() },
];

describe("the check of watches finds one that", () => {
  for (const { why, spoil } of watchBugs) {
    test(why, async () => {
      const kv = createMemoryKv();
      const wrong = withChanges(kv, {
        async *watch(prefix, since, signal) {
          for await (const { changes, revision } of kv.watch(prefix, since, signal)) {
            yield { changes: revision % 4n === 0n ? spoil(changes) : changes, revision };
          }
        },
      });
      const abort = new AbortController();
      for (let index = 0; index < 8; index += 1) await kv.put(`key${index}`, bytes("x"), 0n);
      const watcher = follow(wrong, "", 0n, abort.signal);
      const outcome = await watcher.until(8n).then(
        () => watcher.changes.map(({ revision }) => Number(revision)),
        (error: unknown) => String(error),
      );
      abort.abort();
      expect(outcome).not.toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    });
  }
});

function withChanges(kv: Kv, changes: Partial<Kv>): Kv {
  return {
    revision: () => kv.revision(),
    get: (key) => kv.get(key),
    range: (prefix, options) => kv.range(prefix, options),
    put: (key, value, expected) => kv.put(key, value, expected),
    delete: (key, expected) => kv.delete(key, expected),
    commit: (writes) => kv.commit(writes),
    watch: (prefix, since, signal) => kv.watch(prefix, since, signal),
    compact: (revision) => kv.compact(revision),
    close: () => kv.close(),
    ...changes,
  };
}
