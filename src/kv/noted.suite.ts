/** The tests of stores that keep history: what is kept of writes with notes, and what the bounds and compaction leave of it. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createManualClock } from "../base/clock.ts";
import { type Kv, type KvHistory, type KvHistoryBounds, type KvNoted, RevisionCompacted } from "./contract.ts";
import { bytes, text } from "./follow.suite.ts";

type ManualClock = ReturnType<typeof createManualClock>;

interface NotedHome {
  /** Opens it again after a close, where it is durable. */
  open(bounds: KvHistoryBounds, clock: ManualClock): Promise<Kv>;
  readonly isDurable: boolean;
  /** It keeps what has no note for as long as what has one. */
  readonly keepsAll?: true;
}

const hour = 3_600_000;
const unbounded: KvHistoryBounds = { ageMs: Number.POSITIVE_INFINITY, bytesMax: Number.POSITIVE_INFINITY };
const plenty: KvHistoryBounds = { ageMs: 24 * hour, bytesMax: 1e9 };

export async function allChanges(history: KvHistory, query = {}): Promise<KvNoted[]> {
  const all: KvNoted[] = [];
  for await (const page of history.changes(query)) all.push(...page);
  return all;
}

const textAt = async (history: KvHistory, key: string, revision: bigint): Promise<string | undefined> => {
  const found = await history.valueAt(key, revision);
  return found && text(found.value);
};

/** The model's state after the newest write up to a revision: a store may skip numbers. */
const stateAt = (states: ReadonlyMap<bigint, ReadonlyMap<string, string>>, revision: bigint) =>
  states.get([...states.keys()].filter((one) => one <= revision).at(-1) ?? -1n);

export function describeNoted(name: string, home: () => NotedHome): void {
  const opened = async (bounds = plenty) => {
    const clock = createManualClock(1_000_000);
    const kv = await home().open(bounds, clock);
    return { kv, clock, history: kv.history!()! };
  };

  describe(`the history of the ${name} store`, () => {
    test("keeps each write that had a note, with its time, and the states before and after it", async () => {
      const { kv, clock, history } = await opened();
      const first = await kv.put("/a", bytes("1"), 0n, bytes("by ann"));
      clock.advance(1_000);
      const second = await kv.put("/a", bytes("2"), first, bytes("by ben"));
      await kv.put("/quiet", bytes("x"), 0n);
      const third = await kv.delete("/a", second, bytes("by cal"));
      const found = await allChanges(history);
      expect(
        found.map(({ key, revision, previous, deleted, atMs, note }) => [
          key,
          revision,
          previous,
          deleted,
          atMs,
          text(note),
        ]),
      ).toEqual([
        ["/a", third, second, true, 1_001_000, "by cal"],
        ["/a", second, first, false, 1_001_000, "by ben"],
        ["/a", first, 0n, false, 1_000_000, "by ann"],
      ]);
      expect(await textAt(history, "/a", first)).toBe("1");
      expect(await textAt(history, "/a", second)).toBe("2");
      expect(await textAt(history, "/a", third)).toBeUndefined();
      expect((await history.change(second))?.atMs).toBe(1_001_000);
      expect(await history.change(second + 1n)).toBeUndefined();
      await kv.close();
    });

    test("compaction removes what has no note, and nothing that has one", async () => {
      const { kv, history } = await opened();
      const noted = await kv.put("/a", bytes("1"), 0n, bytes("n"));
      const plain = await kv.put("/b", bytes("1"), 0n);
      const last = await kv.put("/a", bytes("2"), noted, bytes("n"));
      await kv.put("/b", bytes("2"), plain);
      await kv.compact(await kv.revision());
      if (!home().keepsAll) await expect(kv.range("/", { revision: noted })).rejects.toBeInstanceOf(RevisionCompacted);
      expect((await kv.range("/a", { revision: noted, noted: true })).entries.map(({ value }) => text(value))).toEqual([
        "1",
      ]);
      expect(await allChanges(history)).toHaveLength(2);
      expect(await textAt(history, "/a", last)).toBe("2");
      await kv.close();
    });

    test("the bound of age drops what was replaced before it, and keeps the state of its beginning", async () => {
      const { kv, clock, history } = await opened({ ageMs: hour, bytesMax: 1e9 });
      let at = await kv.put("/a", bytes("1"), 0n, bytes("n"));
      const revisions = [at];
      for (const value of ["2", "3", "4"]) {
        clock.advance(hour / 2);
        at = await kv.put("/a", bytes(value), at, bytes("n"));
        revisions.push(at);
      }
      clock.advance(60_000);
      await expect
        .poll(async () => (await allChanges(history)).map(({ revision }) => revision))
        .toEqual([revisions[3], revisions[2]]);
      expect(history.oldest.revision).toBe(revisions[1]);
      expect(await textAt(history, "/a", revisions[1]!)).toBe("2");
      await kv.compact(at);
      await expect(kv.range("/", { revision: revisions[0]!, noted: true })).rejects.toMatchObject({
        oldest: revisions[1],
      });
      await kv.close();
    });

    test("the bound of bytes is never exceeded", async () => {
      const bytesMax = 60_000;
      const { kv, history } = await opened({ ageMs: Number.POSITIVE_INFINITY, bytesMax });
      let at = 0n;
      for (let index = 0; index < 100; index += 1) {
        const size = index === 50 ? 70_000 : 500;
        at = await kv.put("/a", new Uint8Array(size), at, bytes("n".repeat(size)));
        expect(history.bytes).toBeLessThanOrEqual(bytesMax);
      }
      const kept = await allChanges(history);
      expect(kept.length).toBeGreaterThan(5);
      expect(kept.length).toBeLessThan(100);
      await kv.close();
    });

    test("a time names the state that was current then, and a clock that goes back does not reorder changes", async () => {
      const { kv, clock, history } = await opened();
      const first = await kv.put("/a", bytes("1"), 0n, bytes("n"));
      clock.advance(10_000);
      const second = await kv.put("/a", bytes("2"), first, bytes("n"));
      clock.advance(-5_000);
      const third = await kv.put("/a", bytes("3"), second, bytes("n"));
      expect(await history.revisionAt(1_000_000)).toBe(first);
      expect(await history.revisionAt(1_009_999)).toBe(first);
      expect(await history.revisionAt(1_010_000)).toBe(third);
      expect((await allChanges(history)).map(({ atMs }) => atMs)).toEqual([1_010_000, 1_010_000, 1_000_000]);
      await kv.close();
    });

    test("lists the changes of one key, since a time, and before a revision", async () => {
      const { kv, clock, history } = await opened();
      const revisions: bigint[] = [];
      for (const key of ["/a", "/ab", "/a", "/b"]) {
        const found = await kv.get(key);
        revisions.push(await kv.put(key, bytes("x"), found?.revision ?? 0n, bytes("n")));
        clock.advance(1_000);
      }
      const listed = async (query: object) =>
        (await allChanges(history, query)).map(({ revision }) => revisions.indexOf(revision));
      expect(await listed({ key: "/a" })).toEqual([2, 0]);
      expect(await listed({ sinceMs: 1_002_000 })).toEqual([3, 2]);
      expect(await listed({ before: revisions[2] })).toEqual([1, 0]);
      expect(await listed({ key: "/a", before: revisions[2] })).toEqual([0]);
      expect(await listed({ after: revisions[1] })).toEqual([3, 2]);
      expect(await listed({ after: revisions[0], before: revisions[3], upward: true })).toEqual([1, 2]);
      expect(await listed({ key: "/a", upward: true })).toEqual([0, 2]);
      await kv.close();
    });

    test("lists the changes of a folder, also those that are written after it was asked for the first time", async () => {
      const { kv, clock, history } = await opened();
      const keys = ["/core/pods/a/x", "/core/pods/b/x", "/core/maps/a/x", "/core/nodes/a", "/core/pods/a/x/y"];
      const revisions = new Map<bigint, number>();
      const write = async () => {
        for (const key of keys) {
          const found = await kv.get(key);
          revisions.set(await kv.put(key, bytes("x"), found?.revision ?? 0n, bytes("n")), revisions.size);
          clock.advance(1_000);
        }
      };
      const listed = async (query: object) =>
        (await allChanges(history, { folder: "a", ...query })).map(({ revision }) => revisions.get(revision));
      await write();
      const written = write();
      expect((await listed({})).slice(-2)).toEqual([2, 0]);
      await written;
      expect(await listed({})).toEqual([7, 5, 2, 0]);
      expect(await listed({ sinceMs: 1_005_000 })).toEqual([7, 5]);
      expect(await listed({ before: [...revisions.keys()][5] })).toEqual([2, 0]);
      expect(await listed({ folder: "c" })).toEqual([]);
      expect(await listed({ upward: true })).toEqual([0, 2, 5, 7]);
      expect(await listed({ upward: true, after: [...revisions.keys()][2] })).toEqual([5, 7]);
      await kv.close();
    });

    test("lists more changes than a page has in both directions, while others are written", async () => {
      const { kv, history } = await opened();
      let at = 0n;
      const written: bigint[] = [];
      const write = async () => {
        at = await kv.put("/core/pods/a/x", bytes("x"), at, bytes("n"));
        written.push(at);
      };
      for (let index = 0; index < 250; index += 1) await write();
      for (const query of [{}, { folder: "a" }]) {
        const seen: bigint[] = [];
        for await (const page of history.changes({ ...query, upward: true })) {
          seen.push(...page.map(({ revision }) => revision));
          if (seen.length < 250) await write();
        }
        expect(seen.slice(0, 250)).toEqual(written.slice(0, 250));
        expect(await allChanges(history, query)).toHaveLength(written.length);
      }
      await kv.close();
    });

    test("random histories: the state at each kept revision is that of a model", async () => {
      const step = fc.record({
        key: fc.constantFrom("/a", "/a/b", "/ab", "/b"),
        deletes: fc.boolean(),
        compacts: fc.integer({ min: 0, max: 9 }),
      });
      await fc.assert(
        fc.asyncProperty(
          fc.array(step, { minLength: 1, maxLength: 40 }),
          fc.integer({ min: 3_000, max: 20_000 }),
          async (steps, bytesMax) => {
            const current = home();
            const clock = createManualClock(1_000_000);
            const bounds = { ageMs: Number.POSITIVE_INFINITY, bytesMax };
            let kv = await current.open(bounds, clock);
            const states = new Map<bigint, Map<string, string>>();
            const live = new Map<string, string>();
            for (const [index, { key, deletes, compacts }] of steps.entries()) {
              const found = await kv.get(key);
              if (deletes && found === undefined) continue;
              // Long enough for differences to be smaller, and sometimes not.
              const value =
                index % 5 === 0 ? `${index}` : `${index} ${"of which most is the same, ".repeat(6)}${index}`;
              const revision = deletes
                ? await kv.delete(key, found!.revision, bytes(`${index}`))
                : await kv.put(key, bytes(value), found?.revision ?? 0n, bytes(`${index}`));
              if (deletes) live.delete(key);
              else live.set(key, value);
              states.set(revision, new Map(live));
              if (compacts === 0) await kv.compact(revision);
              if (compacts !== 1 || !current.isDurable) continue;
              await kv.close();
              kv = await current.open(bounds, clock);
            }
            const history = kv.history!()!;
            const changes = await allChanges(history);
            for (const [revision, state] of states) {
              if (revision < history.oldest.revision) continue;
              const { entries } = await kv.range("/", { revision, noted: true });
              expect(new Map(entries.map(({ key, value }) => [key, text(value)]))).toEqual(state);
            }
            const kept = [...states.keys()].filter((revision) => revision > history.oldest.revision).reverse();
            expect(changes.map(({ revision }) => revision)).toEqual(kept);
            // Undoing a change is the state before it.
            for (const change of changes) {
              const { key, revision } = change;
              expect(await textAt(history, key, revision - 1n)).toBe(stateAt(states, revision - 1n)?.get(key));
              const shown = [await history.stateBefore(change), await history.stateAfter(change)];
              expect(shown.map((entry) => entry && text(entry.value))).toEqual([
                await textAt(history, key, revision - 1n),
                await textAt(history, key, revision),
              ]);
            }
            const inFolder = await allChanges(history, { folder: "a" });
            expect(inFolder).toEqual(changes.filter(({ key }) => key === "/a/b"));
            await kv.close();
          },
        ),
        { numRuns: home().isDurable ? 12 : 60 },
      );
    });

    test("writes that happen together have a note each", async () => {
      const { kv, history } = await opened();
      const first = await kv.put("/a", bytes("1"), 0n, bytes("n1"));
      await kv.commit([
        { key: "/a", value: bytes("2"), expected: first, note: bytes("n2") },
        { key: "/b", value: bytes("2"), expected: 0n, note: bytes("n3") },
        { key: "/c", value: bytes("2"), expected: 0n },
      ]);
      const found = await allChanges(history);
      expect(found.map(({ key, previous, note }) => [key, previous, text(note)])).toEqual([
        ["/b", 0n, "n3"],
        ["/a", first, "n2"],
        ["/a", 0n, "n1"],
      ]);
      expect(await textAt(history, "/a", found[1]!.revision)).toBe("2");
      await kv.close();
    });

    test("that is forgotten begins again, and nothing of before can be read", async () => {
      const { kv, history } = await opened();
      const first = await kv.put("/a", bytes("1"), 0n, bytes("n1"));
      const second = await kv.put("/a", bytes("2"), first, bytes("n2"));
      await kv.forgetHistory!();
      expect(await allChanges(history)).toEqual([]);
      expect(history.oldest.revision).toBeGreaterThanOrEqual(second);
      await expect(kv.range("/", { revision: first, noted: true })).rejects.toBeInstanceOf(RevisionCompacted);
      await kv.put("/a", bytes("3"), second, bytes("n3"));
      const [only, ...others] = await allChanges(history);
      expect([only && text(only.note), others]).toEqual(["n3", []]);
      expect(text((await history.stateBefore(only!))!.value)).toBe("2");
      await kv.close();
    });

    test("without bounds everything is kept", async () => {
      const { kv, history } = await opened(unbounded);
      let at = 0n;
      for (let index = 0; index < 50; index += 1) at = await kv.put("/a", bytes(`${index}`), at, bytes("n"));
      await kv.compact(at);
      expect(await allChanges(history)).toHaveLength(50);
      await kv.close();
    });
  });
}
