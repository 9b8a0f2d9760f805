import { expect, test } from "vitest";
import { createManualClock } from "../base/clock.ts";
import { RevisionCompacted } from "../kv/contract.ts";
import { createMemoryKv } from "../kv/memory/memory.ts";
import { collect, names, openFixture, settled } from "./fixture.suite.ts";

test("objects of a kind with a TTL are removed when it ends, and others stay", async () => {
  const { registry, kinds, post, clock } = await openFixture();
  for (let n = 0; n < 250; n += 1) await post(kinds.notice, { metadata: { name: `old${n}` } });
  await post(kinds.note, { metadata: { name: "stays" } });
  clock.advance(3_000_000);
  await post(kinds.notice, { metadata: { name: "young" } });
  const told = collect(
    await registry.watch(kinds.notice, {
      namespace: "a",
      allowBookmarks: false,
      resourceVersion: String(await registry.revision()),
      signal: new AbortController().signal,
    }),
  );
  clock.advance(610_000);
  for (let turn = 0; turn < 20; turn += 1) {
    await settled();
    clock.advance(2_000);
  }
  expect(names((await registry.list(kinds.notice, { namespace: "a" })).entries)).toEqual(["young"]);
  expect(names((await registry.list(kinds.note, { namespace: "a" })).entries)).toEqual(["stays"]);
  expect(told.lines().filter((line) => line.startsWith("DELETED")).length).toBe(250);
  await registry.close();
});

const lives = [
  { why: "a TTL shorter than that of the kind ends earlier", lifeMs: 60_000, afterMs: 120_000, left: [] },
  { why: "a TTL longer than that of the kind ends later", lifeMs: 7_200_000, afterMs: 3_700_000, left: ["one"] },
  { why: "without a TTL objects stay", lifeMs: 0, afterMs: 30 * 86_400_000, left: ["one"] },
];
for (const { why, lifeMs, afterMs, left } of lives) {
  test(`a server may override the TTL: ${why}`, async () => {
    const { registry, kinds, post, clock } = await openFixture({ lifeMs });
    await post(kinds.notice, { metadata: { name: "one" } });
    clock.advance(afterMs);
    for (let turn = 0; turn < 5; turn += 1) {
      await settled();
      clock.advance(2_000);
    }
    expect(names((await registry.list(kinds.notice, { namespace: "a" })).entries)).toEqual(left);
    await registry.close();
  });
}

test("an object of a clock that was set back since lives no longer than its TTL from then on", async () => {
  // What the fixture writes has a time of 2021.
  const clock = createManualClock(Date.parse("2011-06-01T00:00:00Z"));
  const { registry, kinds, post } = await openFixture({ clock, lifeMs: 60_000 });
  await post(kinds.notice, { metadata: { name: "ahead" } });
  const left = async (seconds: number) => {
    for (let passed = 0; passed < seconds; passed += 10) {
      clock.advance(10_000);
      await settled();
    }
    return names((await registry.list(kinds.notice, { namespace: "a" })).entries);
  };
  expect(await left(50)).toEqual(["ahead"]);
  expect(await left(50)).toEqual([]);
  await registry.close();
});

test("the search for expired objects runs in time slices", async () => {
  const { registry, kinds, post, clock } = await openFixture();
  const count = 1_000;
  for (let n = 0; n < count; n += 1) await post(kinds.notice, { metadata: { name: `n${n}` } });
  let looked = 0;
  for (const entry of registry.peekAll(kinds.notice)) {
    const form = entry.representation.bind(entry);
    entry.representation = (name, make) => {
      looked += 1;
      for (const begin = performance.now(); performance.now() - begin < 0.05; );
      return form(name, make);
    };
  }
  clock.advance(10_000);
  const atOnce = looked;
  while (looked < count) await settled();
  expect(atOnce).toBeLessThan(count);
  await registry.close();
});

test("objects are looked at again when one can be due, and every five minutes in case a clock of another server is behind", async () => {
  const { registry, kinds, post, clock } = await openFixture({ lifeMs: 400_000 });
  await post(kinds.notice, { metadata: { name: "one" } });
  let looked = 0;
  for (const entry of registry.peekAll(kinds.notice)) {
    const form = entry.representation.bind(entry);
    entry.representation = (name, make) => {
      looked += 1;
      return form(name, make);
    };
  }
  const looksIn = async (seconds: number) => {
    const before = looked;
    for (let passed = 0; passed < seconds; passed += 10) {
      clock.advance(10_000);
      await settled();
    }
    return looked - before;
  };
  expect(await looksIn(10)).toBe(1);
  expect(await looksIn(290)).toBe(0);
  expect(await looksIn(10)).toBe(1); // five minutes after the first
  expect(await looksIn(80)).toBe(0);
  expect(await looksIn(10)).toBe(1); // it is due
  expect((await registry.list(kinds.notice, { namespace: "a" })).entries).toEqual([]);
  await registry.close();
});

test("the store is compacted up to the start of the watch history, step by step", async () => {
  const compacted: bigint[] = [];
  const inner = createMemoryKv();
  const compact = inner.compact.bind(inner);
  inner.compact = async (revision) => {
    compacted.push(revision);
    await compact(revision);
  };
  const { registry, kinds, post, clock } = await openFixture({
    kv: inner,
    historyMs: 60_000,
    compactIntervalMs: 30_000,
  });
  const { entry } = await post(kinds.note, { metadata: { name: "x" } });
  clock.advance(30_000);
  await settled();
  await post(kinds.note, { metadata: { name: "y" } });
  clock.advance(30_000);
  await settled();
  expect(compacted).toEqual([]);
  clock.advance(30_000);
  await settled();
  expect(compacted).toEqual([entry.revision]);
  clock.advance(30_000);
  await settled();
  expect(compacted).toEqual([entry.revision, entry.revision + 1n]);
  await expect(inner.range("/", { revision: entry.revision })).rejects.toThrow(RevisionCompacted);
  const late = collect(
    await registry.watch(kinds.note, {
      namespace: "a",
      resourceVersion: "1",
      allowBookmarks: false,
      signal: new AbortController().signal,
    }),
  );
  expect(late.outcome.reason).toMatchObject({ code: 410 });
  await registry.close();
});

test("a closed registry leaves no timers and ends everything at once", async () => {
  const { registry, kinds, clock, kv } = await openFixture();
  const told = collect(
    await registry.watch(kinds.note, { namespace: "", allowBookmarks: true, signal: new AbortController().signal }),
  );
  const unstarted = await registry.watch(kinds.note, {
    namespace: "",
    allowBookmarks: true,
    signal: new AbortController().signal,
  });
  await registry.close();
  expect(told.outcome).toEqual({ ended: true, reason: undefined });
  const revision = await kv.revision();
  clock.advance(10_000_000);
  await settled();
  expect(told.seen).toEqual([]);
  expect(await kv.revision()).toBe(revision);
  expect(collect(unstarted).outcome).toEqual({ ended: true, reason: undefined });
});
