import fc from "fast-check";
import { expect, test } from "vitest";
import { treeVisit } from "../../base/ordered-tree.ts";
import { Change } from "./change.ts";
import { noteEntry } from "./entry.suite.ts";
import type { StoredEntry } from "./entry.ts";
import { WatchHistory } from "./history.ts";
import { emptySnapshot, replace, type Snapshot } from "./snapshot.ts";

function shown(snapshot: Snapshot | undefined): string[] | undefined {
  if (snapshot === undefined) return undefined;
  const found: string[] = [];
  treeVisit(snapshot.entries, "", ({ path, revision }) => found.push(`${path}@${revision}`) > 0);
  return found;
}

const limits = { ageMs: 1_000_000, changesMax: 1_000, bytesMax: 1_000_000 };

test("the state at each kept revision is the one of that time", () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.integer({ min: 0, max: 9 }), fc.boolean()), { minLength: 1, maxLength: 700 }),
      fc.integer({ min: 1, max: 300 }),
      (steps, changesMax) => {
        const history = new WatchHistory(0n, { ...limits, changesMax });
        let live = emptySnapshot;
        const states = new Map<bigint, string[]>([[0n, []]]);
        const now = new Map<string, StoredEntry>();
        let revision = 0n;
        for (const [n, gone] of steps) {
          revision += 2n; // other families have revisions of their own in between
          const path = `k${n}`;
          const previous = now.get(path);
          const next = gone ? undefined : noteEntry({ name: path, revision });
          if (next === undefined) now.delete(path);
          else now.set(path, next);
          live = replace(live, path, previous, next);
          history.append(new Change(path, revision, 0, next, previous), live);
          states.set(revision, shown(live)!);
          states.set(revision + 1n, shown(live)!);
        }
        for (const [at, state] of states) {
          expect(shown(history.stateAt(at, live))).toEqual(at < history.completeAfter ? undefined : state);
        }
        expect(history.size).toBe(Math.min(steps.length, changesMax));
      },
    ),
    { numRuns: 40 },
  );
});

test("history is bounded by count, by bytes and by age", () => {
  const append = (history: WatchHistory, revision: bigint, atMs: number): void =>
    history.append(
      new Change(
        "k",
        revision,
        atMs,
        noteEntry({ name: "k", revision }),
        noteEntry({ name: "k", revision: revision - 1n }),
      ),
      emptySnapshot,
    );
  const counted = new WatchHistory(0n, { ...limits, changesMax: 3 });
  for (let n = 1n; n <= 10n; n += 1n) append(counted, n, 0);
  expect([counted.size, counted.completeAfter, counted.start, counted.end]).toEqual([3, 7n, 7, 10]);
  const weighed = new WatchHistory(0n, { ...limits, bytesMax: 1_000 });
  for (let n = 1n; n <= 10n; n += 1n) append(weighed, n, 0);
  expect([weighed.size, weighed.completeAfter]).toEqual([3, 7n]);
  const aged = new WatchHistory(0n, { ...limits, ageMs: 50 });
  for (let n = 1n; n <= 10n; n += 1n) append(aged, n, Number(n) * 10);
  expect([aged.size, aged.completeAfter]).toEqual([6, 4n]);
  aged.trim(1_000);
  expect([aged.size, aged.completeAfter]).toEqual([0, 10n]);
});
