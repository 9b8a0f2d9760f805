import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { createManualClock } from "../../base/clock.ts";
import { seededRandom } from "../../base/seeded-random.ts";
import type { Kv, KvHistoryRewrite, KvNoted } from "../contract.ts";
import { bytes, text } from "../follow.suite.ts";
import { allChanges } from "../noted.suite.ts";
import { openEmbeddedKv } from "./embedded.ts";
import { inspectStore } from "./inspect.ts";

const parent = mkdtempSync(join(tmpdir(), "kv-rewritten-"));
let counter = 0;
const newFolder = (): string => join(parent, `data${++counter}`);
afterAll(() => rmSync(parent, { recursive: true, force: true }));

const bounds = { ageMs: 1e12, bytesMax: 400_000 };
const keys = ["/pods/shop/a", "/pods/shop/b", "/secrets/shop/a", "/secrets/shop/ab", "/secrets/yard/a"];
/** As if it were encrypted with the key of that name. */
const stateOf = (key: string, name: string, index: number): string =>
  `${key.startsWith("/secrets/") ? name : "plain"}:${"the same text ".repeat(12)}${index}${"in all of them".repeat(3)}`;

/** All states of before are encrypted with another key afterwards. */
const rewrite: KvHistoryRewrite = {
  concerns: (key) => key.startsWith("/secrets/"),
  rewrite: (_key, value) => {
    const found = text(value);
    return found.startsWith("one:") ? bytes(found.replace("one:", "two:")) : undefined;
  },
};

async function writeSome(kv: Kv, name: string, { from, count }: { from: number; count: number }): Promise<void> {
  const random = seededRandom(from + 1);
  for (let index = from; index < from + count; index += 1) {
    const key = keys[Math.floor(random() * keys.length)]!;
    const found = await kv.get(key);
    const note = bytes(`note ${index}`);
    if (found !== undefined && random() < 0.1) await kv.delete(key, found.revision, note);
    else await kv.put(key, bytes(stateOf(key, name, index)), found?.revision ?? 0n, note);
    if (index % 20 === 0) await kv.compact(await kv.revision());
  }
}

/** Every change with both states, as texts. */
async function told(kv: Kv, isMeant: (change: KvNoted) => boolean = () => true): Promise<string[]> {
  const history = kv.history!()!;
  const found: string[] = [];
  const shown = async (entry: Awaited<ReturnType<typeof history.stateAfter>>) => entry && text(entry.value);
  for (const change of (await allChanges(history)).filter(isMeant)) {
    const states = [await shown(await history.stateBefore(change)), await shown(await history.stateAfter(change))];
    found.push(`${change.revision} ${change.key} ${text(change.note)} ${states.join(" -> ")}`);
  }
  return found;
}

async function problemsIn(folder: string): Promise<string[]> {
  const problems: string[] = [];
  await inspectStore({ folder, onEntry() {}, onProblem: (problem) => problems.push(problem) });
  return problems;
}

/** The newest states are those of others, who encrypt them first. */
async function encryptNewest(kv: Kv): Promise<void> {
  for (const { key, value, revision } of (await kv.range("/secrets/")).entries)
    await kv.put(key, bytes(text(value).replace("one:", "two:")), revision, bytes("again"));
}

test("all states of the past have other values, and nothing else of them changes, also after a restart", async () => {
  const folder = newFolder();
  const clock = createManualClock(1_000_000);
  const open = () => openEmbeddedKv({ folder, clock, noted: bounds, syncMode: "none" });
  let kv = await open();
  await writeSome(kv, "one", { from: 0, count: 600 });
  await encryptNewest(kv);
  const before = await told(kv);
  expect(before.join()).toContain("one:");
  const { states, failed } = await kv.rewriteHistory!(rewrite);
  expect([states > 100, failed]).toEqual([true, 0]);
  const after = before.map((line) => line.replaceAll("one:", "two:"));
  expect(await told(kv)).toEqual(after);
  expect(await kv.rewriteHistory!(rewrite)).toEqual({ states: 0, failed: 0 });
  await kv.close();
  expect(await problemsIn(folder)).toEqual([]);
  kv = await open();
  expect(await told(kv)).toEqual(after);
  for (const name of ["two", "two"]) await writeSome(kv, name, { from: 600, count: 100 });
  expect((await told(kv)).slice(-before.length / 2)).toEqual(after.slice(-before.length / 2));
  await kv.close();
  expect(await problemsIn(folder)).toEqual([]);
});

test("others read and write while it is rewritten, and miss nothing", async () => {
  const kv = await openEmbeddedKv({ folder: newFolder(), noted: { ...bounds, bytesMax: 4_000_000 }, syncMode: "none" });
  await writeSome(kv, "one", { from: 0, count: 1_500 });
  await encryptNewest(kv);
  const revisions = (await allChanges(kv.history!()!)).map(({ revision }) => revision);
  let isOver = false;
  const rewriting = kv.rewriteHistory!(rewrite).finally(() => {
    isOver = true;
  });
  const writing = writeSome(kv, "two", { from: 1_500, count: 200 });
  do {
    for (const query of [{}, { folder: "shop" }, { key: keys[2] }] as const) {
      const found = (await allChanges(kv.history!()!, query)).filter(({ revision }) => revision <= revisions[0]!);
      const isMeant = ({ key }: KvNoted) => !("key" in query) || key === query.key;
      expect(found.filter(isMeant).length).toBe(found.length);
      if (!("key" in query) && !("folder" in query)) expect(found.map(({ revision }) => revision)).toEqual(revisions);
    }
  } while (!isOver);
  await Promise.all([rewriting, writing]);
  expect((await told(kv)).join()).not.toContain("one:");
  await kv.close();
});

test("what cannot be rewritten stays, is counted, and is tried again", async () => {
  const kv = await openEmbeddedKv({ folder: newFolder(), noted: bounds, syncMode: "none" });
  await writeSome(kv, "one", { from: 0, count: 100 });
  await encryptNewest(kv);
  const before = await told(kv);
  const refusing = {
    ...rewrite,
    rewrite: () => {
      throw new Error("the key is gone");
    },
  };
  const { states, failed } = await kv.rewriteHistory!(refusing);
  expect([states, failed > 10]).toEqual([0, true]);
  expect(await told(kv)).toEqual(before);
  expect((await kv.rewriteHistory!(rewrite)).failed).toBe(0);
  expect((await told(kv)).join()).not.toContain("one:");
  await kv.close();
});

test("a program that does not know the bounds leaves the history as it is, and none begins where there was none", async () => {
  const folder = newFolder();
  const first = await openEmbeddedKv({ folder, noted: bounds, syncMode: "none" });
  await writeSome(first, "one", { from: 0, count: 100 });
  const before = await told(first);
  await first.close();
  const tool = await openEmbeddedKv({ folder, noted: "all", syncMode: "none" });
  await encryptNewest(tool);
  await tool.rewriteHistory!(rewrite);
  await tool.close();
  const second = await openEmbeddedKv({ folder, noted: bounds, syncMode: "none" });
  const after = await told(second);
  expect(after.slice(-before.length)).toEqual(before.map((line) => line.replaceAll("one:", "two:")));
  await second.close();
  const plain = newFolder();
  await (await openEmbeddedKv({ folder: plain, syncMode: "none" })).close();
  const none = await openEmbeddedKv({ folder: plain, noted: "all", syncMode: "none" });
  expect(none.history!()).toBeUndefined();
  expect(await none.rewriteHistory!(rewrite)).toEqual({ states: 0, failed: 0 });
  await none.close();
});

test("changes of keys with a shorter age leave the segments, and all others stay", async () => {
  const folder = newFolder();
  const clock = createManualClock(1_000_000);
  const kv = await openEmbeddedKv({ folder, clock, noted: bounds, syncMode: "none" });
  const history = kv.history!()!;
  history.shorten!([{ ageMs: 3_600_000, concerns: (key) => key.startsWith("/pods/") }]);
  await writeSome(kv, "one", { from: 0, count: 600 });
  // Changes past their age are not read any more.
  const isOfPods = ({ key }: KvNoted) => key.startsWith("/pods/");
  const others = await told(kv, (change) => !isOfPods(change));
  const podChanges = async () => (await allChanges(history)).filter(isOfPods).length;
  const [podsBefore, bytesBefore] = [await podChanges(), history.bytes];
  clock.advance(4_000_000);
  await writeSome(kv, "one", { from: 600, count: 60 });
  // One segment at each look; what is not in one yet stays.
  await expect
    .poll(() => {
      clock.advance(20_000);
      return podChanges();
    })
    .toBeLessThan(podsBefore / 2);
  expect(history.bytes).toBeLessThan(bytesBefore);
  expect((await told(kv, (change) => !isOfPods(change))).slice(-others.length)).toEqual(others);
  await kv.close();
  expect(await problemsIn(folder)).toEqual([]);
});
