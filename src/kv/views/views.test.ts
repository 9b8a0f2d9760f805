import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { createManualClock, systemClock } from "../../base/clock.ts";
import { silentLog } from "../../base/log.ts";
import { describeKv } from "../contract.suite.ts";
import { type Kv, type KvEntry, type KvEvents, keyBytesMax } from "../contract.ts";
import { openEmbeddedKv } from "../embedded/embedded.ts";
import { bytes, follow, text } from "../follow.suite.ts";
import { createMemoryKv } from "../memory/memory.ts";
import { allChanges, describeNoted } from "../noted.suite.ts";
import { emptyBase, KvBase } from "./base.ts";
import { removedMark } from "./view.ts";
import { KvViews } from "./views.ts";

const id = "0f8fad5b-d9cb-469f-a165-70867728950e";
const viewsOf = (kv: Kv) => new KvViews({ kv, prefix: "workspaces/", clock: systemClock, log: silentLog });
const longestKeyBytes = keyBytesMax - Buffer.byteLength(`workspaces/${id}/`);

/** Where other processes may write, a store does not know its newest revision without asking. */
const asShared = (kv: Kv): Kv =>
  new Proxy(kv, { get: (of, name) => (name === "newest" ? undefined : bound(of, name)) });
function bound(of: Kv, name: string | symbol): unknown {
  const value: unknown = Reflect.get(of, name);
  return typeof value === "function" ? value.bind(of) : value;
}

const base = new KvBase([
  { key: "/other/a", value: bytes("base"), revision: 0n, created: 0n },
  { key: "\x01", value: bytes("base"), revision: 0n, created: 0n },
]);

const parent = mkdtempSync(join(tmpdir(), "views-"));
afterAll(() => rmSync(parent, { recursive: true, force: true }));

describeKv(
  "a view of memory",
  async () => {
    const kv = createMemoryKv();
    return { open: () => viewsOf(kv).open(id, base), remove: () => kv.close() };
  },
  { longestKeyBytes },
);
describeKv(
  "a view of a store that others write to",
  async () => {
    const kv = createMemoryKv();
    return { open: () => viewsOf(asShared(kv)).open(id, emptyBase), remove: () => kv.close() };
  },
  { longestKeyBytes },
);
describeKv(
  "a view of the embedded store",
  async () => {
    const kv = await openEmbeddedKv({ folder: mkdtempSync(join(parent, "embedded-")), syncMode: "none" });
    return { open: () => viewsOf(kv).open(id, emptyBase), remove: () => kv.close() };
  },
  { longestKeyBytes },
);

describeNoted("view of the memory", () => ({
  async open(bounds, clock) {
    const kv = createMemoryKv({ noted: { bounds, clock } });
    const view = await viewsOf(kv).open(id, emptyBase);
    return new Proxy(view, {
      get: (of, name) => (name === "forgetHistory" ? () => kv.forgetHistory?.() : bound(of, name)),
    });
  },
  isDurable: false,
}));

describe("views of one store", () => {
  const names = ["a", "b", "b/c", "c", "é", "😀", "d"];
  const step = fc.record({
    key: fc.constantFrom(...names),
    how: fc.constantFrom("put", "delete", "commit"),
    other: fc.constantFrom(...names),
  });

  test("a view agrees with a store that began with the same entries, whatever happens to them", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), fc.subarray(names), async (steps, first) => {
        const kv = createMemoryKv();
        const entries: KvEntry[] = [];
        for (const key of first) {
          const revision = await kv.put(`bases/${key}`, bytes(`base ${key}`), 0n);
          entries.push({ key, value: bytes(`base ${key}`), revision, created: revision });
        }
        const view = await viewsOf(kv).open("one", new KvBase(entries));
        const since = await kv.revision();
        const model = new Map(
          first.map((key) => [key, { value: `base ${key}`, at: entries[first.indexOf(key)]!.revision }]),
        );
        const abort = new AbortController();
        const watcher = follow(view, "", since, abort.signal);
        const seen: [string, string | undefined][] = [];
        let [count, last] = [0, since];
        for (const { key, how, other } of steps) {
          const value = `value ${++count}`;
          const at = model.get(key)?.at ?? 0n;
          if (how === "put") {
            last = await view.put(key, bytes(value), at);
            model.set(key, { value, at: last });
            seen.push([key, value]);
          } else if (how === "delete") {
            const done = view.delete(key, at);
            if (at === 0n) {
              await expect(done).rejects.toMatchObject({ code: "conflict", key });
              continue;
            }
            last = await done;
            model.delete(key);
            seen.push([key, undefined]);
            await expect(view.put(key, bytes("late"), last)).rejects.toMatchObject({ code: "conflict", key });
          } else if (key !== other) {
            const writes = [
              { key, expected: at, value: bytes(value) },
              { key: other, expected: model.get(other)?.at ?? 0n, keeps: true },
            ];
            const [done = 0n] = await view.commit(writes);
            last = done;
            model.set(key, { value, at: last });
            seen.push([key, value]);
          }
          await expect(view.put(key, bytes("stale"), last + 1n)).rejects.toMatchObject({ code: "conflict", key });
        }
        const sorted = [...model].sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
        const all = await view.range("");
        expect(all.entries.map((entry) => [entry.key, text(entry.value), entry.revision])).toEqual(
          sorted.map(([key, { value, at }]) => [key, value, at]),
        );
        for (const limit of [1, 2, 3]) {
          const page = await view.range("", { limit });
          expect(page.entries.map(({ key }) => key)).toEqual(sorted.slice(0, limit).map(([key]) => key));
          expect(page.remaining).toBe(Math.max(0, sorted.length - limit));
          const uncounted = await view.range("", { limit, uncounted: true });
          expect([uncounted.entries.length, uncounted.remaining > 0]).toEqual([
            Math.min(limit, sorted.length),
            sorted.length > limit,
          ]);
        }
        for (const name of names) expect((await view.get(name))?.revision).toBe(model.get(name)?.at);
        if (last > since) await watcher.until(last);
        abort.abort();
        expect(watcher.changes.map(({ key, value }) => [key, value && text(value)])).toEqual(seen);
        const again = new Map(first.map((key) => [key, `base ${key}`]));
        for (const { key, value } of (await view.ownChanges()).changes)
          if (value === undefined) again.delete(key);
          else again.set(key, text(value));
        expect(again).toEqual(new Map(sorted.map(([key, { value }]) => [key, value])));
      }),
      { numRuns: 60 },
    );
  });

  test("two views and their store do not see each other, and writes of one do not wake the other", async () => {
    const kv = createMemoryKv();
    const views = viewsOf(kv);
    const [one, two] = [await views.open("one", emptyBase), await views.open("two", emptyBase)];
    const abort = new AbortController();
    const watcher = follow(two, "", await two.revision(), abort.signal);
    const before = two.newest();
    let last = 0n;
    for (let at = 0; at < 20; at++) last = await one.put(`/key${at}`, bytes("1"), 0n);
    expect(await two.get("/key1")).toBeUndefined();
    expect((await two.range("")).entries).toEqual([]);
    expect((await kv.range("/")).entries).toEqual([]);
    expect(two.newest()).toBe(before);
    expect(one.newest()).toBe(last);
    const own = await two.put("/key1", bytes("2"), 0n);
    await watcher.until(own);
    abort.abort();
    expect(watcher.changes.map(({ key, revision }) => [key, revision])).toEqual([["/key1", own]]);
    expect(watcher.events).toHaveLength(1);
    expect(text((await one.get("/key1"))!.value)).toBe("1");
    await views.close();
    await expect(one.get("/key1")).rejects.toMatchObject({ code: "closed" });
    expect(await kv.get("workspaces/one//key1")).toBeDefined();
  });

  test("the history of a view is of its own keys, on top of what it began with", async () => {
    const noted = { bounds: { ageMs: 3_600_000, bytesMax: 1e9 }, clock: createManualClock(0) };
    const kv = createMemoryKv({ noted });
    const revision = await kv.put("bases/shop", bytes("base"), 0n);
    const key = "/core/maps/shop/given";
    const given = new KvBase([{ key, value: bytes("base"), revision, created: revision }]);
    const views = viewsOf(kv);
    const [one, two] = [await views.open("one", given), await views.open("two", given)];
    const note = bytes("n");
    const begin = await kv.revision();
    const changed = await one.put(key, bytes("1"), revision, note);
    await two.put("/core/maps/shop/secret", bytes("of two"), 0n, note);
    await kv.put("/core/maps/shop/root", bytes("of the store"), 0n, note);
    const removed = await one.delete(key, changed, note);
    const again = await one.put(key, bytes("2"), 0n, note);
    const history = one.history()!;
    const told = (await allChanges(history)).map((change) => [change.key, change.previous, change.deleted]);
    expect(told).toEqual([
      [key, 0n, false],
      [key, changed, true],
      [key, revision, false],
    ]);
    for (const query of [{ key }, { folder: "shop" }, { folder: "shop", upward: true as const }])
      expect(await allChanges(history, query)).toHaveLength(3);
    expect(await allChanges(history, { key: "/core/maps/shop/secret" })).toEqual([]);
    const states = [begin, changed, removed, again].map(async (at) => {
      const entry = await history.valueAt(key, at);
      const { entries } = await one.range("/", { revision: at, noted: true });
      expect(entries.map(({ value }) => text(value))).toEqual(entry === undefined ? [] : [text(entry.value)]);
      return entry && text(entry.value);
    });
    expect(await Promise.all(states)).toEqual(["base", "1", undefined, "2"]);
    expect(await history.change(again - 2n)).toBeUndefined(); // of the store
    const [newest, middle, oldest] = await allChanges(history);
    const around = [oldest!, middle!, newest!].map(async (change) =>
      [await history.stateBefore(change), await history.stateAfter(change)].map((entry) => entry && text(entry.value)),
    );
    expect(await Promise.all(around)).toEqual([
      ["base", "1"],
      ["1", undefined],
      [undefined, "2"],
    ]);
    await one.compact(again);
    await expect(one.range("/", { revision: changed })).rejects.toMatchObject({ code: "compacted" });
    expect((await one.range("/", { revision: changed, noted: true })).entries).toHaveLength(1);
  });

  test("writes to the rest of the store wake no view, and what follows them reaches it", async () => {
    const embedded = await openEmbeddedKv({ folder: mkdtempSync(join(parent, "quiet-")), syncMode: "none" });
    for (const [kv, count] of [
      [createMemoryKv({ historyChangesMax: 100 }), 1_000],
      [embedded, 200],
    ] as const) {
      const views = viewsOf(kv);
      const one = await views.open("one", emptyBase);
      const stop = new AbortController();
      const told: KvEvents[] = [];
      const asked = { changesOnly: true } as const;
      const following = (async () => {
        for await (const events of kv.watch("workspaces/", await kv.revision(), stop.signal, asked)) told.push(events);
      })();
      const watcher = follow(one, "", await one.revision(), stop.signal);
      for (let at = 0; at < count; at++) await kv.put(`/root${at}`, bytes("1"), 0n);
      const own = await one.put("/key", bytes("1"), 0n);
      await watcher.until(own);
      await expect.poll(() => told.length).toBe(1);
      expect(told[0]!.changes.map(({ key, revision }) => [key, revision])).toEqual([["workspaces/one//key", own]]);
      expect(watcher.changes.map(({ key, revision }) => [key, revision])).toEqual([["/key", own]]);
      stop.abort();
      await following;
      await views.close();
      await kv.close();
    }
  });

  test("a name like another one is another view", async () => {
    const kv = createMemoryKv();
    const views = viewsOf(kv);
    const [short, long] = [await views.open("a", emptyBase), await views.open("ab", emptyBase)];
    await long.put("key", bytes("1"), 0n);
    expect((await short.range("")).entries).toEqual([]);
    await expect(views.open("a", emptyBase)).rejects.toThrow("is open");
    await short.close();
    await views.open("a", emptyBase);
  });

  test("the mark of a removed key is not a value", async () => {
    const view = await viewsOf(createMemoryKv()).open("one", emptyBase);
    await expect(view.put("key", removedMark, 0n)).rejects.toBeInstanceOf(TypeError);
    await expect(view.commit([{ key: "key", value: removedMark, expected: 0n }])).rejects.toBeInstanceOf(TypeError);
  });
});
