import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { createManualClock } from "../../base/clock.ts";
import { seededRandom } from "../../base/seeded-random.ts";
import type { Kv, KvNoted } from "../contract.ts";
import { folderOf } from "../folder-of.ts";
import { bytes, text } from "../follow.suite.ts";
import { allChanges } from "../noted.suite.ts";
import { dataFile } from "./data-file.ts";
import { Disk } from "./disk.ts";
import { openEmbeddedKv } from "./embedded.ts";
import { inspectStore } from "./inspect.ts";
import { segmentBytesMax } from "./segment-maker.ts";
import { notedKey, openTables } from "./tables.ts";

const parent = mkdtempSync(join(tmpdir(), "kv-segments-"));
let counter = 0;
const newFolder = (): string => join(parent, `data${++counter}`);
afterAll(() => rmSync(parent, { recursive: true, force: true }));

const startMs = 1_000_000;
const keys = [
  "/pods/shop/a",
  "/pods/shop/ab",
  "/pods/shop/ä",
  "/pods/yard/a",
  "/nodes/one",
  "/nodes/two",
  "/pods/shop/b/c",
];

/** What a store should say: each change, and all states after it. */
interface Model {
  readonly changes: { key: string; revision: bigint; previous: bigint; deleted: boolean; atMs: number; note: string }[];
  readonly states: Map<bigint, Map<string, string>>;
}

const stateOf = (key: string, index: number): string =>
  JSON.stringify({
    key,
    fields: Array.from({ length: 20 }, (_, at) => `field number ${at}`),
    at: index,
    end: index * 7,
  });

async function writeSome(
  kv: Kv,
  model: Model,
  clock: ReturnType<typeof createManualClock>,
  wanted: number,
  seed: number,
) {
  const random = seededRandom(seed);
  const live = new Map(model.states.get(model.changes.at(-1)?.revision ?? -1n));
  for (let index = 0; index < wanted; index += 1) {
    const key = keys[Math.floor(random() * keys.length)]!;
    const before = await kv.get(key);
    const deleted = before !== undefined && random() < 0.1;
    const note = `note ${index} of ${key}`;
    const previous = before?.revision ?? 0n;
    const state = stateOf(key, seed * 10_000 + index);
    const revision = deleted
      ? await kv.delete(key, previous, bytes(note))
      : await kv.put(key, bytes(state), previous, bytes(note));
    if (deleted) live.delete(key);
    else live.set(key, state);
    model.changes.push({ key, revision, previous, deleted, atMs: clock.now(), note });
    model.states.set(revision, new Map(live));
    if (random() < 0.3) clock.advance(250);
    // Also writes that the history does not know.
    if (random() < 0.1) await kv.put("/quiet", bytes("x"), (await kv.get("/quiet"))?.revision ?? 0n);
    if (random() < 0.05) await kv.compact(await kv.revision());
  }
}

const shown = ({ key, revision, previous, deleted, atMs, note }: KvNoted) => ({
  key,
  revision,
  previous,
  deleted,
  atMs,
  note: text(note),
});

async function compare(kv: Kv, model: Model): Promise<void> {
  const history = kv.history!()!;
  const oldest = history.oldest.revision;
  const kept = model.changes.filter(({ revision }) => revision > oldest);
  expect((await allChanges(history)).map(shown)).toEqual(kept.toReversed());
  expect((await allChanges(history, { upward: true })).map(shown)).toEqual(kept);
  const middle = kept[Math.floor(kept.length / 2)]!;
  expect((await allChanges(history, { before: middle.revision, upward: true })).map(shown)).toEqual(
    kept.filter(({ revision }) => revision < middle.revision),
  );
  expect((await allChanges(history, { after: middle.revision, sinceMs: middle.atMs })).map(shown)).toEqual(
    kept.filter(({ revision }) => revision > middle.revision).toReversed(),
  );
  for (const folder of ["shop", "yard", "nodes", "nothing"]) {
    const inFolder = kept.filter(({ key }) => folderOf(key) === folder);
    expect((await allChanges(history, { folder })).map(shown)).toEqual(inFolder.toReversed());
    expect((await allChanges(history, { folder, upward: true, after: middle.revision })).map(shown)).toEqual(
      inFolder.filter(({ revision }) => revision > middle.revision),
    );
  }
  for (const key of [...keys, "/pods/shop/none"]) {
    const ofKey = kept.filter((change) => change.key === key);
    expect((await allChanges(history, { key })).map(shown)).toEqual(ofKey.toReversed());
    expect((await allChanges(history, { key, upward: true, before: middle.revision })).map(shown)).toEqual(
      ofKey.filter(({ revision }) => revision < middle.revision),
    );
  }
  for (const [at, change] of kept.entries()) {
    if (at % 7 === 0) expect(shown((await history.change(change.revision))!)).toEqual(change);
    const noted = (await history.change(change.revision))!;
    const after = model.states.get(change.revision)!;
    const before = model.states.get(change.previous);
    expect(textOf(await history.stateAfter(noted))).toBe(after.get(change.key));
    expect(textOf(await history.stateBefore(noted))).toBe(before?.get(change.key));
    expect(await history.revisionAt(change.atMs)).toBe(kept.findLast(({ atMs }) => atMs <= change.atMs)!.revision);
    if (at % 11 !== 0) continue;
    for (const key of keys) expect(textOf(await history.valueAt(key, change.revision))).toBe(after.get(key));
    for (const prefix of ["/", "/pods/shop/", "/pods/shop/a"]) {
      const { entries } = await kv.range(prefix, { revision: change.revision, noted: true });
      const wanted = [...after].filter(([key]) => key.startsWith(prefix));
      expect(entries.filter(({ key }) => key !== "/quiet").map(({ key, value }) => [key, text(value)])).toEqual(
        wanted.sort(([one], [other]) => Buffer.compare(Buffer.from(one), Buffer.from(other))),
      );
    }
    const page = await kv.range("/pods/", { revision: change.revision, noted: true, start: "/pods/shop/ab", limit: 2 });
    expect(page.entries.length + page.remaining).toBe(
      [...after.keys()].filter(
        (key) => key.startsWith("/pods/") && Buffer.compare(Buffer.from(key), Buffer.from("/pods/shop/ab")) >= 0,
      ).length,
    );
  }
}

const textOf = (found: { readonly value: Uint8Array } | undefined): string | undefined => found && text(found.value);

async function segmentsIn(folder: string): Promise<number> {
  const disk = await Disk.openForReading(join(folder, dataFile));
  try {
    disk.segments.load(disk.notes.state()!.packed);
    return disk.segments.heads.length;
  } finally {
    await disk.close();
  }
}

async function problemsIn(folder: string): Promise<string[]> {
  const problems: string[] = [];
  await inspectStore({ folder, onEntry() {}, onProblem: (problem) => problems.push(problem) });
  return problems;
}

test("changes in segments are told as those beside them: by key, by folder, by revision, and with all states", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 1_000 }),
      fc.integer({ min: 60_000, max: 300_000 }),
      async (seed, bytesMax) => {
        // A share of the bound is enough for a segment.
        expect(bytesMax).toBeLessThan(segmentBytesMax);
        const folder = newFolder();
        const clock = createManualClock(startMs);
        const open = () => openEmbeddedKv({ folder, clock, noted: { ageMs: 1e12, bytesMax }, syncMode: "none" });
        const model: Model = { changes: [], states: new Map() };
        let kv = await open();
        for (let round = 0; round < 3; round += 1) {
          await writeSome(kv, model, clock, 150, seed + round);
          expect(kv.history!()!.bytes).toBeLessThanOrEqual(bytesMax);
          await compare(kv, model);
          if (round !== 1) continue;
          await kv.close();
          expect(await problemsIn(folder)).toEqual([]);
          kv = await open();
        }
        const kept = kv.history!()!.bytes;
        await kv.close();
        expect(await segmentsIn(folder)).toBeGreaterThan(0);
        expect(await problemsIn(folder)).toEqual([]);
        kv = await open();
        expect(kv.history!()!.bytes).toBe(kept);
        await compare(kv, model);
        await kv.close();
      },
    ),
    { numRuns: 2 },
  );
});

/** A store of which most changes are in segments. */
async function packedStore(folder: string): Promise<Model> {
  const clock = createManualClock(startMs);
  const model: Model = { changes: [], states: new Map() };
  const kv = await openEmbeddedKv({ folder, clock, noted: bounds, syncMode: "none" });
  await writeSome(kv, model, clock, 300, 1);
  await kv.close();
  expect(await segmentsIn(folder)).toBeGreaterThan(0);
  return model;
}

/** As the store opens its tables: a file is opened with the same options again. */
const unsynced = { overlappingSync: false, noSync: true, noMetaSync: true };
const bounds = { ageMs: 1e12, bytesMax: 200_000 };

/** Flips a bit of each part for which it says so. */
async function damage(folder: string, isMeant: (last: bigint, part: number) => boolean): Promise<void> {
  const { root, segments } = await openTables(join(folder, dataFile), unsynced, true);
  for (const { key, value } of [...segments!.getRange({})]) {
    if (!isMeant(key.readBigUInt64BE(0), key.readUInt32BE(8))) continue;
    const other = Buffer.from(value);
    other[other.length - 1]! ^= 1;
    await segments!.put(Buffer.from(key), other);
  }
  await root.close();
}

test("a history that begins again leaves no segment behind, and neither does one that is turned off", async () => {
  for (const isOff of [false, true]) {
    const folder = newFolder();
    await packedStore(folder);
    const kv = await openEmbeddedKv({ folder, noted: isOff ? { ageMs: 0, bytesMax: 0 } : bounds, syncMode: "none" });
    if (isOff) await kv.compact(await kv.revision());
    else await kv.forgetHistory!();
    for (let index = 0; index < 5; index += 1) await kv.put(`/other${index}`, bytes("x"), 0n);
    if (!isOff) expect(await allChanges(kv.history!()!)).toEqual([]);
    await kv.close();
    expect(await segmentsIn(folder)).toBe(0);
    expect(await problemsIn(folder)).toEqual([]);
  }
});

test("the head of a segment that is damaged ends the history, and nothing else", async () => {
  const folder = newFolder();
  await packedStore(folder);
  await damage(folder, (_last, part) => part === 0);
  expect((await problemsIn(folder)).join()).toContain("of the history up to revision");
  const kv = await openEmbeddedKv({ folder, noted: bounds, syncMode: "none" });
  expect(await allChanges(kv.history!()!)).toEqual([]);
  expect((await kv.range("/")).entries.length).toBeGreaterThan(1);
  await kv.put("/pods/shop/new", bytes("x"), 0n, bytes("n"));
  await kv.close();
  const again = await openEmbeddedKv({ folder, noted: bounds, syncMode: "none" });
  expect(await allChanges(again.history!()!)).toHaveLength(1);
  for (let index = 0; index < 5; index += 1) await again.put(`/other${index}`, bytes("x"), 0n);
  await again.close();
  expect(await segmentsIn(folder)).toBe(0);
});

test("reading changes of a damaged block fails, and newer changes are still read", async () => {
  const folder = newFolder();
  const model = await packedStore(folder);
  await damage(folder, (_last, part) => part >= 3);
  expect((await problemsIn(folder)).join()).toContain("is damaged");
  const kv = await openEmbeddedKv({ folder, noted: bounds, syncMode: "none" });
  const last = model.changes.at(-1)!;
  expect(shown((await kv.history!()!.change(last.revision))!)).toEqual(last);
  await expect(allChanges(kv.history!()!)).rejects.toThrow("is damaged");
  for (const [key, value] of model.states.get(last.revision)!) expect(textOf(await kv.get(key))).toBe(value);
  await kv.close();
});

test("segments of which the history does not know are not read, and go", async () => {
  const folder = newFolder();
  await packedStore(folder);
  // As an older program leaves them: it begins a history of its own, and knows no segments.
  const { root, meta } = await openTables(join(folder, dataFile), unsynced, true);
  await meta.put(notedKey, meta.get(notedKey)!.subarray(0, 60), 0);
  await root.close();
  const kv = await openEmbeddedKv({ folder, noted: bounds, syncMode: "none" });
  expect(await allChanges(kv.history!()!)).toEqual([]);
  await kv.put("/pods/shop/new", bytes("x"), 0n, bytes("n"));
  await kv.close();
  expect(await segmentsIn(folder)).toBe(0);
  expect(await problemsIn(folder)).toEqual([]);
});
