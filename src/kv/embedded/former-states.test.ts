import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { createManualClock } from "../../base/clock.ts";
import type { Kv, KvHistoryBounds } from "../contract.ts";
import { bytes, text } from "../follow.suite.ts";
import { allChanges } from "../noted.suite.ts";
import { openEmbeddedKv } from "./embedded.ts";
import { differencesMax, FormerStates } from "./former-states.ts";
import { inspectStore } from "./inspect.ts";
import type { WriteRecord } from "./records.ts";
import type { Segments } from "./segments.ts";
import type { Tables } from "./tables.ts";

const parent = mkdtempSync(join(tmpdir(), "kv-former-"));
let counter = 0;
const newFolder = (): string => join(parent, `data${++counter}`);
afterAll(() => rmSync(parent, { recursive: true, force: true }));

const day: KvHistoryBounds = { ageMs: 86_400_000, bytesMax: 1e9 };

/** A state of some 2 kB, of which a few bytes are others in each. */
const stateOf = (index: number): string =>
  JSON.stringify({
    at: index,
    fields: Array.from({ length: 100 }, (_, at) => `field number ${at}`),
    phase: `p${index}`,
  });

async function writeStates(kv: Kv, key: string, from: number, to: number): Promise<bigint[]> {
  const revisions: bigint[] = [];
  for (let index = from; index < to; index += 1) {
    const found = await kv.get(key);
    revisions.push(await kv.put(key, bytes(stateOf(index)), found?.revision ?? 0n, bytes(`note ${index}`)));
  }
  return revisions;
}

async function problemsIn(folder: string): Promise<string[]> {
  const problems: string[] = [];
  await inspectStore({ folder, onEntry() {}, onProblem: (problem) => problems.push(problem) });
  return problems;
}

/** Compaction follows in steps. */
async function compactAll(kv: Kv): Promise<void> {
  await kv.compact(await kv.revision());
  await kv.put("/last", bytes("x"), (await kv.get("/last"))?.revision ?? 0n);
}

test("states that only the history needs take the bytes of what is different, and are all there", async () => {
  const folder = newFolder();
  let kv = await openEmbeddedKv({ folder, noted: day });
  const revisions = await writeStates(kv, "/a", 0, 100);
  const ofNotes = kv.history!()!.bytes;
  // Watches need the states until they are compacted, with or without a history.
  expect(ofNotes).toBeLessThan(100 * 200);
  await compactAll(kv);
  const kept = kv.history!()!.bytes;
  expect(kept - ofNotes).toBeLessThan((100 * stateOf(0).length) / 3);
  await kv.close();
  expect(await problemsIn(folder)).toEqual([]);
  kv = await openEmbeddedKv({ folder, noted: day });
  const history = kv.history!()!;
  expect(history.bytes).toBe(kept);
  for (const [index, revision] of revisions.entries()) {
    const found = await history.valueAt("/a", revision);
    expect(found && [text(found.value), found.revision, found.created]).toEqual([
      stateOf(index),
      revision,
      revisions[0],
    ]);
  }
  for (const change of await allChanges(history)) {
    const index = revisions.indexOf(change.revision);
    expect((await history.stateAfter(change)) && text((await history.stateAfter(change))!.value)).toBe(stateOf(index));
    if (index > 0) expect(text((await history.stateBefore(change))!.value)).toBe(stateOf(index - 1));
  }
  await kv.close();
});

test("a bound holds more changes than it would of whole states, and is never exceeded", async () => {
  const bytesMax = 60_000;
  const folder = newFolder();
  const kv = await openEmbeddedKv({ folder, noted: { ageMs: 1e12, bytesMax } });
  for (let from = 0; from < 400; from += 10) {
    await writeStates(kv, "/a", from, from + 10);
    expect(kv.history!()!.bytes).toBeLessThanOrEqual(bytesMax);
    await compactAll(kv);
  }
  const kept = await allChanges(kv.history!()!);
  expect(kept.length * stateOf(0).length).toBeGreaterThan(bytesMax * 2);
  for (const change of kept.slice(-4, -1)) expect((await kv.history!()!.stateBefore(change))?.key).toBe("/a");
  await kv.close();
  expect(await problemsIn(folder)).toEqual([]);
});

test("a state is never further than a few differences from one that is whole", async () => {
  const kv = await openEmbeddedKv({ folder: newFolder(), noted: day });
  await writeStates(kv, "/a", 0, 4 * differencesMax);
  const before = kv.history!()!.bytes;
  await compactAll(kv);
  // Three of them are whole.
  await expect.poll(() => kv.history!()!.bytes - before).toBeGreaterThan(3 * stateOf(0).length);
  expect(kv.history!()!.bytes - before).toBeLessThan((4 * differencesMax * stateOf(0).length) / 2);
  await kv.close();
});

test("a deleted and created key, compaction and bounds at any point: each state that is kept is that of a model", async () => {
  const step = fc.record({
    key: fc.constantFrom("/a", "/b"),
    size: fc.constantFrom(0, 1, 3, 60),
    does: fc.constantFrom("put", "put", "put", "put", "delete", "compact", "compact some", "reopen"),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 10, maxLength: 80 }),
      fc.integer({ min: 8_000, max: 60_000 }),
      async (steps, bytesMax) => {
        const folder = newFolder();
        const clock = createManualClock(1_000_000);
        const open = () => openEmbeddedKv({ folder, noted: { ageMs: 1e12, bytesMax }, clock });
        let kv = await open();
        const states = new Map<bigint, Map<string, string>>();
        const live = new Map<string, string>();
        for (const [index, { key, size, does }] of steps.entries()) {
          const found = await kv.get(key);
          if (does === "compact") await kv.compact(await kv.revision());
          else if (does === "compact some") await kv.compact(((await kv.revision()) * 2n) / 3n);
          else if (does === "reopen") {
            await kv.close();
            kv = await open();
          } else if (does === "put" || found !== undefined) {
            const value = `${index}${stateOf(0).slice(0, size * 30)}${index}`;
            const revision =
              does === "put"
                ? await kv.put(key, bytes(value), found?.revision ?? 0n, bytes("n"))
                : await kv.delete(key, found!.revision, bytes("n"));
            if (does === "put") live.set(key, value);
            else live.delete(key);
            states.set(revision, new Map(live));
          }
          expect(kv.history!()!.bytes).toBeLessThanOrEqual(bytesMax);
        }
        const history = kv.history!()!;
        for (const [revision, state] of states) {
          if (revision < history.oldest.revision) continue;
          const { entries } = await kv.range("/", { revision, noted: true });
          expect(new Map(entries.map((entry) => [entry.key, text(entry.value)]))).toEqual(state);
        }
        await kv.close();
        expect(await problemsIn(folder)).toEqual([]);
      },
    ),
    { numRuns: 25 },
  );
});

test("a state that moves is not looked for in segments, once the one before it has moved", () => {
  const lookups: bigint[] = [];
  const change = (_key: string, revision: bigint) => void lookups.push(revision);
  const segments = { through: 100n, change } as unknown as Segments;
  const former = new FormerStates(() => ({ former: undefined }) as unknown as Tables, segments);
  const write = (revision: bigint): WriteRecord => ({
    key: "/a",
    revision,
    value: bytes(`${"the same again ".repeat(20)}${revision}`),
    created: 1n,
    previous: revision - 1n,
  });
  const depths = Array.from(
    { length: 40 },
    (_, at) => former.moved(write(BigInt(at) + 2n), write(BigInt(at) + 1n)).depth,
  );
  expect(depths).toEqual(Array.from({ length: 40 }, (_, at) => (at + 1) % (differencesMax + 1)));
  expect(lookups).toEqual([1n]);
});

test("a key that was written without notes in between: what has notes since then is all there", async () => {
  const folder = newFolder();
  const kv = await openEmbeddedKv({ folder, noted: day });
  await writeStates(kv, "/a", 0, 5);
  await compactAll(kv);
  for (const index of [5, 6]) await kv.put("/a", bytes(stateOf(index)), (await kv.get("/a"))!.revision);
  const revisions = await writeStates(kv, "/a", 7, 10);
  await compactAll(kv);
  const history = kv.history!()!;
  const since = (await allChanges(history)).filter(({ revision }) => revision >= revisions[0]!);
  const states = await Promise.all(
    since.map(async (change) => [
      text((await history.stateBefore(change))!.value),
      text((await history.stateAfter(change))!.value),
    ]),
  );
  expect(states).toEqual([9, 8, 7].map((index) => [stateOf(index - 1), stateOf(index)]));
  const { entries } = await kv.range("/a", { revision: revisions[0]! - 1n, noted: true });
  expect(entries.map(({ value }) => text(value))).toEqual([stateOf(6)]);
  await kv.close();
  expect(await problemsIn(folder)).toEqual([]);
});
