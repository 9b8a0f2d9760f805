import { expect, test } from "vitest";
import { newestLevel } from "../machinery/schema/levels.ts";
import { batchBytesMax } from "./cache/watcher.ts";
import type { RegistryWatchQuery, WatcherEvent } from "./contract/watch.ts";
import { collect, context, type Fixture, openFixture, refusal, settled } from "./fixture.suite.ts";

const open = (fixture: Fixture, query: Partial<RegistryWatchQuery>, kind = fixture.kinds.note) =>
  fixture.registry.watch(kind, {
    namespace: "a",
    allowBookmarks: false,
    signal: new AbortController().signal,
    ...query,
  });
const remove = ({ registry, kinds }: Fixture, name: string, namespace = "a") =>
  registry.delete(kinds.note, { namespace, name }, {}, context());

test("without a version, and with 0, existing objects come first as ADDED", async () => {
  const fixture = await openFixture();
  const { registry, kinds, post } = fixture;
  for (const name of ["b", "a"]) await post(kinds.note, { metadata: { name } });
  for (const resourceVersion of [undefined, "", "0"]) {
    const told = collect(await open(fixture, resourceVersion === undefined ? {} : { resourceVersion }));
    expect(told.lines()).toEqual(["ADDED a/a@3", "ADDED a/b@2"]);
  }
  await registry.close();
});

test("a watch from a version gets every later change, including those before the watch began", async () => {
  const fixture = await openFixture();
  const { registry, kinds, post, replace } = fixture;
  const { entry } = await post(kinds.note, { metadata: { name: "x" } });
  await post(kinds.note, { metadata: { name: "y" } });
  await replace(kinds.note, { metadata: { name: "x" }, data: { k: "2" } });
  const told = collect(await open(fixture, { resourceVersion: String(entry.revision) }));
  await remove(fixture, "y");
  expect(told.lines()).toEqual(["ADDED a/y@3", "MODIFIED a/x@4", "DELETED a/y@5"]);
  await registry.close();
});

test("an object that begins to match is ADDED, one that no longer matches is DELETED with its last matching state", async () => {
  const fixture = await openFixture();
  const { registry, kinds, post, replace } = fixture;
  const told = collect(await open(fixture, { labelSelector: "l=1" }));
  const write = (l: string, k: string) => replace(kinds.note, { metadata: { name: "x", labels: { l } }, data: { k } });
  await post(kinds.note, { metadata: { name: "x", labels: { l: "0" } } });
  await write("1", "in");
  await write("1", "still");
  const left = await write("2", "out");
  await write("3", "further out");
  await write("1", "back");
  await remove(fixture, "x");
  await settled();
  const shown = told.seen.map((event) =>
    event.type === "BOOKMARK" ? "" : `${event.type} ${(event.entry.object()["data"] as { k: string }).k}`,
  );
  expect(shown).toEqual(["ADDED in", "MODIFIED still", "DELETED still", "ADDED back", "DELETED back"]);
  const deleted = told.seen[2] as Extract<WatcherEvent, { entry: unknown }>;
  expect(deleted.entry.object().metadata.resourceVersion).toBe(String(left.entry.revision));
  await registry.close();
});

test("field selectors follow selectable fields, in the names of the version", async () => {
  const fixture = await openFixture();
  const { registry, kinds, post } = fixture;
  const hub = collect(await open(fixture, { fieldSelector: "spec.node=n1" }, kinds.task));
  const beta = collect(await open(fixture, { fieldSelector: "host=n1" }, kinds.taskBeta));
  await post(kinds.task, { metadata: { name: "x" }, spec: { node: "n2" } });
  await post(kinds.task, { metadata: { name: "y" }, spec: { node: "n1" } });
  expect(hub.lines()).toEqual(["ADDED a/y@3"]);
  expect(beta.lines()).toEqual(["ADDED a/y@3"]);
  for (const [kind, fieldSelector] of [
    [kinds.taskBeta, "spec.node=n1"],
    [kinds.task, "host=n1"],
    [kinds.task, "spec.size=1"],
    [kinds.space, "metadata.namespace=a"],
    [kinds.note, "constructor=x"],
  ] as const) {
    const namespace = kind.namespaced ? "a" : "";
    expect(await refusal(open(fixture, { fieldSelector, namespace }, kind))).toEqual({
      code: 400,
      reason: "BadRequest",
    });
  }
  await registry.close();
});

test("the removal of the last finalizer is a DELETED event with the state before", async () => {
  const fixture = await openFixture();
  const { registry, kinds, post, replace } = fixture;
  await post(kinds.note, { metadata: { name: "x", finalizers: ["e.com/hold"] } });
  const told = collect(await open(fixture, { resourceVersion: String(await registry.revision()) }));
  await remove(fixture, "x");
  await replace(kinds.note, { metadata: { name: "x" } });
  expect(told.lines()).toEqual(["MODIFIED a/x@3", "DELETED a/x@4"]);
  const [, last] = told.seen as [WatcherEvent, Extract<WatcherEvent, { entry: unknown }>];
  expect(last.entry.object().metadata.finalizers).toEqual(["e.com/hold"]);
  await registry.close();
});

test("events are made once for all watchers", async () => {
  const fixture = await openFixture();
  const { registry, kinds, post } = fixture;
  const watches = await Promise.all(["", "a", "a"].map((namespace) => open(fixture, { namespace })));
  const all = watches.map(collect);
  await post(kinds.note, { metadata: { name: "x" } });
  await settled();
  const [first, second, third] = all.map(({ seen }) => seen[0]);
  expect(first).toBeDefined();
  expect(first).toBe(second);
  expect(second).toBe(third);
  await registry.close();
});

test("a version that is too old ends the watch with 410 when it starts", async () => {
  const fixture = await openFixture({ historyEventsMax: 2 });
  const { registry, kinds, post } = fixture;
  for (const name of ["a", "b", "c", "d"]) await post(kinds.note, { metadata: { name } });
  const told = collect(await open(fixture, { resourceVersion: "2" }));
  expect([told.seen.length, told.outcome.ended]).toEqual([0, true]);
  expect(told.outcome.reason).toMatchObject({ code: 410, reason: "Expired" });
  expect(String(told.outcome.reason)).toMatch(/too old resource version: 2 \(\d+\)/);
  await registry.close();
});

test("a watch from a future version gets nothing before it", async () => {
  const fixture = await openFixture();
  const { registry, kinds, post, clock } = fixture;
  const { entry } = await post(kinds.note, { metadata: { name: "a" } });
  const told = collect(await open(fixture, { resourceVersion: String(entry.revision + 1n), allowBookmarks: true }));
  clock.advance(60_000);
  await post(kinds.note, { metadata: { name: "b" } });
  await post(kinds.note, { metadata: { name: "c" } });
  expect(told.lines()).toEqual(["ADDED a/c@4"]);
  await registry.close();
});

test("bookmarks are sent at least every minute, and on request, to watchers that allow them", async () => {
  const fixture = await openFixture();
  const { registry, kinds, post, clock } = fixture;
  const watch = await open(fixture, { allowBookmarks: true });
  const told = collect(watch);
  const other = collect(await open(fixture, {}));
  await post(kinds.task, { metadata: { name: "elsewhere" } });
  clock.advance(60_000);
  expect(told.lines()).toEqual(["BOOKMARK @2"]);
  await post(kinds.note, { metadata: { name: "x" } });
  watch.bookmark();
  expect(told.lines()).toEqual(["BOOKMARK @2", "ADDED a/x@3", "BOOKMARK @3"]);
  expect(other.lines()).toEqual(["ADDED a/x@3"]);
  await registry.close();
});

test("a blocked watcher gets the rest when it resumes, and is ended when its buffer is full", async () => {
  const fixture = await openFixture({ watchBufferBytesMax: 4_000 });
  const { registry, kinds, post } = fixture;
  const seen: string[] = [];
  let ended: Error | undefined | "no" = "no";
  const slow = await open(fixture, {});
  slow.start({
    events: (batch) => {
      seen.push(...batch.map((event) => (event.type === "BOOKMARK" ? "" : event.entry.name)));
      return false;
    },
    end: (reason) => {
      ended = reason;
    },
  });
  const healthy = collect(await open(fixture, {}));
  for (const name of ["a", "b", "c"]) await post(kinds.note, { metadata: { name } });
  expect(seen).toEqual(["a"]);
  slow.resume();
  expect(seen).toEqual(["a", "b", "c"]);
  for (let n = 0; n < 40; n += 1) await post(kinds.note, { metadata: { name: `n${n}` } });
  expect(ended).toBeUndefined();
  expect(seen).toEqual(["a", "b", "c"]);
  expect(healthy.seen.length).toBe(43);
  await registry.close();
});

test("a slow reader gets a large initial state in portions, and misses no later change", async () => {
  const fixture = await openFixture();
  const { registry, kinds, post } = fixture;
  for (let n = 0; n < 1_200; n += 1) await post(kinds.note, { metadata: { name: `n${String(n).padStart(4, "0")}` } });
  const sizes: number[] = [];
  const seen: string[] = [];
  const watch = await open(fixture, {});
  watch.start({
    events: (batch) => {
      sizes.push(batch.length);
      seen.push(...batch.map((event) => (event.type === "BOOKMARK" ? "" : event.entry.name)));
      return false;
    },
    end() {},
  });
  await post(kinds.note, { metadata: { name: "late" } });
  for (let n = 0; n < 5; n += 1) {
    await settled();
    watch.resume();
  }
  expect(sizes).toEqual([500, 500, 200, 1]);
  expect([seen.length, new Set(seen).size, seen.at(-1)]).toEqual([1_201, 1_201, "late"]);
  await registry.close();
});

test("large objects of the state and of the history are sent a few at a time, each once", async () => {
  const fixture = await openFixture();
  const { registry, kinds, post } = fixture;
  const data = { k: "x".repeat(batchBytesMax / 2 - 1_000) };
  const names = Array.from({ length: 10 }, (_, at) => `n${at}`);
  const first = await post(kinds.note, { metadata: { name: "first" } });
  for (const name of names) await post(kinds.note, { metadata: { name }, data });
  for (const resourceVersion of ["0", String(first.entry.revision)]) {
    const sizes: number[] = [];
    const seen: string[] = [];
    const watch = await open(fixture, { resourceVersion });
    watch.start({
      events: (batch) => {
        sizes.push(batch.length);
        seen.push(...batch.map((event) => (event.type === "BOOKMARK" ? "" : event.entry.name)));
        return false;
      },
      end() {},
    });
    for (let n = 0; n < 10; n += 1) watch.resume();
    expect(seen.filter((name) => name !== "first")).toEqual(names);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(4);
    watch.close();
  }
  await registry.close();
});

test("an aborted or closed watch sends nothing more", async () => {
  const fixture = await openFixture();
  const { registry, kinds, post } = fixture;
  const gone = new AbortController();
  const aborted = collect(await open(fixture, { signal: gone.signal }));
  const watch = await open(fixture, {});
  const closed = collect(watch);
  gone.abort();
  watch.close();
  await post(kinds.note, { metadata: { name: "x" } });
  expect([aborted.seen, closed.seen]).toEqual([[], []]);
  await registry.close();
});

test("a receiver that throws does not affect others", async () => {
  const fixture = await openFixture();
  const { registry, kinds, post } = fixture;
  const broken = await open(fixture, {});
  broken.start({
    events() {
      throw new Error("broken");
    },
    end() {},
  });
  const told = collect(await open(fixture, {}));
  await post(kinds.note, { metadata: { name: "x" } });
  await post(kinds.note, { metadata: { name: "y" } });
  expect(told.lines()).toEqual(["ADDED a/x@2", "ADDED a/y@3"]);
  await registry.close();
});

test("resourceVersionMatch is refused for watches", async () => {
  const fixture = await openFixture();
  expect(await refusal(open(fixture, { resourceVersion: "1", resourceVersionMatch: "NotOlderThan" }))).toMatchObject({
    code: 422,
    details: { kind: "ListOptions", causes: ["FieldValueForbidden resourceVersionMatch"] },
  });
  await fixture.registry.close();
});

test("namespaces and kinds with a common prefix never see each other's objects", async () => {
  const fixture = await openFixture();
  const { registry, kinds, post } = fixture;
  const spaces = ["a", "aa", "a-b"];
  const watchers: ReturnType<typeof collect>[] = [];
  for (const namespace of spaces) {
    watchers.push(collect(await open(fixture, { namespace })));
    watchers.push(collect(await open(fixture, { namespace, labelSelector: "l=1" })));
    watchers.push(collect(await open(fixture, { namespace, fieldSelector: "metadata.name=x" })));
  }
  for (let round = 0; round < 50; round += 1) {
    for (const namespace of spaces) {
      await post(kinds.note, { metadata: { name: "x", labels: { l: "1" } } }, namespace);
      await remove(fixture, "x", namespace);
    }
  }
  for (const [index, { seen }] of watchers.entries()) {
    const namespace = spaces[Math.floor(index / 3)];
    expect(seen.length).toBe(100);
    expect(seen.every((event) => event.type !== "BOOKMARK" && event.entry.namespace === namespace)).toBe(true);
  }
  for (const namespace of spaces) {
    await post(kinds.note, { metadata: { name: "y", labels: { l: "1" } } }, namespace);
    for (const query of [
      {},
      { resourceVersion: "0" },
      { labelSelector: "l=1" },
      { fieldSelector: "metadata.name=y" },
    ]) {
      const { entries } = await registry.list(kinds.note, { namespace, ...query });
      expect(entries.map((entry) => entry.namespace)).toEqual([namespace]);
    }
  }
  await registry.close();
});

test("a watch list sends the objects, a bookmark that says where they end, and then changes", async () => {
  const fixture = await openFixture({ level: newestLevel });
  const { registry, kinds, post } = fixture;
  await post(kinds.note, { metadata: { name: "x" } });
  const list = { sendInitialEvents: true, resourceVersionMatch: "NotOlderThan", allowBookmarks: true };
  const events: WatcherEvent[] = [];
  (await open(fixture, list)).start({ events: (batch) => void events.push(...batch), end() {} });
  const { entry } = await post(kinds.note, { metadata: { name: "y" } });
  expect(events.map(({ type, ...event }) => [type, "endsInitial" in event && event.endsInitial])).toEqual([
    ["ADDED", false],
    ["BOOKMARK", true],
    ["ADDED", false],
  ]);
  expect(events[1]?.revision).toBe(entry.revision - 1n);

  const later = collect(await open(fixture, { ...list, sendInitialEvents: false }));
  expect(later.lines()).toEqual([]);
  await expect(refusal(open(fixture, { sendInitialEvents: true }))).resolves.toMatchObject({ reason: "Invalid" });
  await registry.close();
});
