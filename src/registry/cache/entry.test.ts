import { expect, test } from "vitest";
import { checksCaches } from "../../base/cache-check.ts";
import type { Entry } from "../contract/entry.ts";
import { openFixture } from "../fixture.suite.ts";
import type { StoredEntry } from "./entry.ts";
import { RepresentationCache } from "./representation-cache.ts";

test.skipIf(checksCaches)("another form is made once, and dropped before forms take too much memory", async () => {
  const { registry, kinds, post } = await openFixture();
  const { entry } = await post(kinds.note, { metadata: { name: "x" } });
  let made = 0;
  const make = () => {
    made += 1;
    return Buffer.alloc(10);
  };
  expect(entry.representation("f", make)).toBe(entry.representation("f", make));
  expect(made).toBe(1);
  const representationCache = new RepresentationCache(25);
  const representations = [1, 2, 3].map(() => new Map<string, unknown>([["f", Buffer.alloc(10)]]));
  for (const each of representations) representationCache.remember(each, each.get("f"));
  expect(representations.map((each) => each.size)).toEqual([0, 1, 1]);
  expect(representationCache.bytes).toBe(20);
  const large = { byteLength: 12 };
  representationCache.remember(new Map([["large", large]]), large);
  expect(representationCache.bytes).toBe(22);
  await registry.close();
});

test("integers beyond 2^53 are unchanged", async () => {
  const { registry, kinds, post } = await openFixture();
  const metadata = { name: "x", generation: 9_223_372_036_854_775_807n };
  const { entry } = await post(kinds.note, { metadata });
  expect(entry.bytes.toString()).toContain('"generation":9223372036854775807');
  expect(entry.object().metadata.generation).toBe(9_223_372_036_854_775_807n);
  await registry.close();
});

test("equal label sets share one map", async () => {
  const { registry, kinds, post } = await openFixture();
  const a = await post(kinds.note, { metadata: { name: "a", labels: { l: "1" } } });
  const b = await post(kinds.note, { metadata: { name: "b", labels: { l: "1" } } });
  expect(a.entry.labels).toBe(b.entry.labels);
  await registry.close();
});

test("objects that own the same fields hold these once, and are read as they were written", async () => {
  const { registry, kinds, post } = await openFixture();
  const data = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`key-${at}`, "value"]));
  // More than stay joined after they were read.
  const written = [];
  for (let at = 0; at < 200; at++) written.push((await post(kinds.note, { metadata: { name: `n${at}` }, data })).entry);
  for (const entry of [...written, ...written]) {
    const text = entry.bytes.toString();
    expect(entry.length).toBe(Buffer.byteLength(text));
    expect(JSON.parse(text)).toEqual(entry.object());
    const copy = Buffer.alloc(entry.length);
    expect(entry.copyTo(copy, 0, entry.itemOffset)).toBe(entry.length - entry.itemOffset);
    expect(copy.subarray(0, entry.length - entry.itemOffset).toString()).toBe(text.slice(entry.itemOffset));
  }
  const [last] = written.slice(-1);
  expect(JSON.parse((last as StoredEntry).stored.toString()).metadata).toEqual({
    ...last?.object().metadata,
    resourceVersion: undefined,
  });
  await registry.close();
});

test("an object that was read once is parsed again after many others, and one that is read again stays parsed", async () => {
  const { registry, kinds, post } = await openFixture();
  const { entry } = await post(kinds.note, { metadata: { name: "x" } });
  const others: Entry[] = [];
  for (let at = 0; at < 40; at++) others.push((await post(kinds.note, { metadata: { name: `n${at}` } })).entry);
  const readOthers = () => {
    for (const other of others) other.object();
  };
  const first = entry.object();
  expect(entry.object()).toBe(first);
  readOthers();
  const second = entry.object();
  expect(second).toEqual(first);
  expect(second).not.toBe(first);
  readOthers();
  expect(entry.object()).toBe(second);
  await registry.close();
});
