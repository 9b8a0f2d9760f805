import { describe, expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { type Kv, KvError, OutcomeUnknown, RevisionConflict } from "../../kv/contract.ts";
import { createMemoryKv } from "../../kv/memory/memory.ts";
import { customKind } from "../../machinery/schema/custom-kind.suite.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import { collect, context, names, openFixture, refusal, settled } from "../fixture.suite.ts";

/** A store some of whose calls can be replaced. */
function wrapped(changes: Partial<Kv>, kv: Kv = createMemoryKv()): Kv & { override: Partial<Kv> } {
  const override = changes;
  const call =
    <K extends keyof Required<Kv>>(name: K) =>
    (...args: Parameters<Required<Kv>[K]>): ReturnType<Required<Kv>[K]> =>
      // The arguments are those of the very method.
      ((override[name] ?? kv[name]) as (...given: Parameters<Required<Kv>[K]>) => ReturnType<Required<Kv>[K]>).apply(
        kv,
        args,
      );
  return {
    override,
    revision: call("revision"),
    get: call("get"),
    range: call("range"),
    put: call("put"),
    delete: call("delete"),
    commit: call("commit"),
    watch: call("watch"),
    compact: call("compact"),
    close: call("close"),
  };
}

test("writes of another server are seen by reads without a version, and by watches", async () => {
  const kv = createMemoryKv();
  const one = await openFixture({ kv });
  const two = await openFixture({ kv });
  const told = collect(
    await two.registry.watch(two.kinds.note, {
      namespace: "a",
      allowBookmarks: false,
      signal: new AbortController().signal,
    }),
  );
  await one.post(one.kinds.note, { metadata: { name: "x", labels: { l: "1" } } });
  const read = await two.registry.get(two.kinds.note, { namespace: "a", name: "x" });
  expect(read.labels.get("l")).toBe("1");
  expect(told.lines()).toEqual([`ADDED a/x@${read.revision}`]);
  await two.replace(two.kinds.note, { metadata: { name: "x" }, data: { k: "2" } });
  expect((await one.registry.get(one.kinds.note, { namespace: "a", name: "x" })).object()["data"]).toEqual({ k: "2" });
  await one.registry.close();
  await two.registry.close();
});

test("after a restart all objects are loaded again, in pages of one revision", async () => {
  const kv = createMemoryKv();
  const one = await openFixture({ kv });
  for (let n = 0; n < 2_100; n += 1) await one.post(one.kinds.note, { metadata: { name: `n${n}` } });
  await one.post(one.kinds.space, { metadata: { name: "s" } });
  await one.registry.close();
  const two = await openFixture({ kv });
  expect((await two.registry.list(two.kinds.note, { namespace: "" })).entries.length).toBe(2_100);
  expect(two.registry.peek(two.kinds.space, { namespace: "", name: "s" })?.name).toBe("s");
  await two.registry.close();
});

test("a cache that fell behind the store's history lists again, ends watches and notifies observers of the differences", async () => {
  const inner = createMemoryKv();
  let stop = new AbortController();
  const gate = { open: true };
  const kv = wrapped(
    {
      async *watch(prefix, since, signal) {
        while (!gate.open) {
          if (signal.aborted) return;
          await settled();
        }
        stop = new AbortController();
        yield* inner.watch(prefix, since, AbortSignal.any([signal, stop.signal]));
        if (!signal.aborted) throw new KvError("unavailable", "the connection is gone");
      },
    },
    inner,
  );
  const fixture = await openFixture({ kv, clock: systemClock });
  const { registry, kinds, post } = fixture;
  await post(kinds.note, { metadata: { name: "stays" } });
  await post(kinds.note, { metadata: { name: "goes" } });
  const told = collect(
    await registry.watch(kinds.note, { namespace: "a", allowBookmarks: false, signal: new AbortController().signal }),
  );
  const observed: string[] = [];
  registry.observe(kinds.note, ({ entry, deleted }) => observed.push(`${deleted ? "-" : "+"}${entry.name}`));

  gate.open = false;
  stop.abort();
  const other = await openFixture({ kv: inner });
  await other.registry.delete(other.kinds.note, { namespace: "a", name: "goes" }, {}, context());
  await other.post(other.kinds.note, { metadata: { name: "comes" } });
  await inner.compact(await inner.revision());
  gate.open = true;

  const { entries } = await registry.list(kinds.note, { namespace: "a" });
  expect(names(entries)).toEqual(["comes", "stays"]);
  expect(observed).toEqual(["-goes", "+comes"]);
  expect(told.outcome.reason).toMatchObject({ code: 410, reason: "Expired" });
  await post(kinds.note, { metadata: { name: "later" } });
  expect(observed).toEqual(["-goes", "+comes", "+later"]);
  await registry.close();
  await other.registry.close();
});

test("an observer is notified of every change until it stops", async () => {
  const { registry, kinds, post } = await openFixture();
  const heard: string[] = [];
  const stop = registry.observe(kinds.note, ({ entry, deleted }) => {
    heard.push(`${deleted ? "-" : "+"}${entry.name}@${entry.revision}`);
    if (entry.name === "bad") throw new Error("an observer's own trouble");
  });
  await post(kinds.note, { metadata: { name: "x" } });
  await post(kinds.task, { metadata: { name: "other" } });
  await registry.delete(kinds.note, { namespace: "a", name: "x" }, {}, context());
  await post(kinds.note, { metadata: { name: "bad" } });
  stop();
  await post(kinds.note, { metadata: { name: "y" } });
  expect(heard).toEqual(["+x@2", "-x@2", "+bad@5"]);
  expect([...registry.peekAll(kinds.note)].map(({ name }) => name)).toEqual(["bad", "y"]);
  expect([...registry.peekAll(kinds.note, "b")]).toEqual([]);
  await registry.close();
});

test("unreadable bytes, and objects without a kind, do not stop the cache", async () => {
  const kv = createMemoryKv();
  await kv.put("/core/notes/a/broken", Buffer.from("{nonsense"), 0n);
  await kv.put("/core/notes/a/list", Buffer.from("[]"), 0n);
  await kv.put("/unknown/things/a/x", Buffer.from("{}"), 0n);
  await kv.put("/odd", Buffer.from("{}"), 0n);
  const errors: unknown[] = [];
  const log: Log = {
    debug() {},
    info() {},
    warn() {},
    error: (message, fields) => errors.push([message, fields?.["path"]]),
  };
  const { registry, kinds, post } = await openFixture({ kv, log });
  await post(kinds.note, { metadata: { name: "fine" } });
  expect(names((await registry.list(kinds.note, { namespace: "" })).entries)).toEqual(["fine"]);
  expect(errors).toEqual([
    ["stored object cannot be read", "a/broken"],
    ["stored object cannot be read", "a/list"],
  ]);
  await kv.put("/unknown/things/a/y", Buffer.from("{}"), 0n);
  await settled();
  await registry.close();
});

test("no verb reaches unreadable bytes, and they stay in the store (C44 in docs/security-rows.md)", async () => {
  const kv = createMemoryKv();
  const bytes = Buffer.from("{nonsense");
  await kv.put("/core/notes/a/broken", bytes, 0n);
  const { registry, kinds, post, replace } = await openFixture({ kv });
  const ref = { namespace: "a", name: "broken" };
  const body = { metadata: { name: "broken" } };
  const codes = [
    await refusal(registry.delete(kinds.note, ref, {}, context())),
    await refusal(replace(kinds.note, body)),
    await refusal(post(kinds.note, body)),
  ].map(({ code }) => code);
  await registry.deleteCollection(kinds.note, { namespace: "a" }, {}, context());
  expect(codes).toEqual([404, 404, 409]);
  expect(Buffer.from((await kv.get("/core/notes/a/broken"))?.value ?? []).equals(bytes)).toBe(true);
  await registry.close();
});

test("objects stored in another version stay in it, and are selected by the fields of the hub version", async () => {
  const kv = createMemoryKv();
  const body = {
    apiVersion: "example.orch.io/v1beta1",
    kind: "Task",
    metadata: { name: "x", namespace: "a", uid: "u" },
    host: "n1",
    size: 3,
  };
  await kv.put("/example.orch.io/tasks/a/x", Buffer.from(JSON.stringify(body)), 0n);
  const { registry, kinds } = await openFixture({ kv });
  const { entries } = await registry.list(kinds.task, { namespace: "a", fieldSelector: "spec.node=n1" });
  expect(entries[0]?.version).toBe(kinds.taskBeta);
  expect(entries[0]?.object()).toMatchObject({ ...body, metadata: { name: "x", resourceVersion: "1" } });
  expect(await registry.read(kinds.task, { namespace: "a", name: "x" })).toMatchObject({
    apiVersion: "example.orch.io/v1",
    spec: { node: "n1", size: 3 },
  });
  const relabel = (current: ApiObject | undefined) => {
    const { metadata, ...rest } = current as ApiObject; // it is there
    return { ...rest, metadata: { ...metadata, labels: { a: "b" } } };
  };
  const { entry } = await registry.update(kinds.taskBeta, { namespace: "a", name: "x" }, relabel, context());
  expect(entry.version).toBe(kinds.task);
  await registry.close();
});

describe("a store in trouble", () => {
  const cases = [
    { why: "the outcome is unknown", error: new OutcomeUnknown("k"), status: { code: 504, reason: "Timeout" } },
    {
      why: "the store is unavailable",
      error: new KvError("unavailable", "no"),
      status: { code: 503, reason: "ServiceUnavailable" },
    },
    {
      why: "the store is damaged",
      error: new KvError("damaged", "no"),
      status: { code: 500, reason: "InternalError" },
    },
    {
      why: "the store is closed",
      error: new KvError("closed", "no"),
      status: { code: 503, reason: "ServiceUnavailable" },
    },
    {
      why: "the value is too large",
      error: new KvError("too-large", "no"),
      status: { code: 413, reason: "RequestEntityTooLarge" },
    },
  ];
  for (const { why, error, status } of cases) {
    test(`${why}: a write is answered ${status.code} and not retried`, async () => {
      const kv = wrapped({});
      const fixture = await openFixture({ kv });
      const { registry, kinds, post, replace } = fixture;
      await post(kinds.note, { metadata: { name: "x" } });
      let tries = 0;
      const fail = async () => {
        tries += 1;
        throw error;
      };
      kv.override.put = fail;
      kv.override.delete = fail;
      expect(await refusal(post(kinds.note, { metadata: { name: "y" } }))).toMatchObject(status);
      expect(await refusal(replace(kinds.note, { metadata: { name: "x" }, data: { k: "2" } }))).toMatchObject(status);
      const deleted = registry.delete(kinds.note, { namespace: "a", name: "x" }, {}, context());
      expect(await refusal(deleted)).toMatchObject(status);
      expect(tries).toBe(3);
      await registry.close();
    });
  }

  test("consistent reads are refused, other reads are not", async () => {
    const kv = wrapped({});
    const { registry, kinds, post } = await openFixture({ kv });
    await post(kinds.note, { metadata: { name: "x" } });
    kv.override.revision = () => Promise.reject(new KvError("unavailable", "no"));
    const refused = { code: 503, reason: "ServiceUnavailable", details: { retryAfterSeconds: 1 } };
    expect(await refusal(registry.get(kinds.note, { namespace: "a", name: "x" }))).toEqual(refused);
    expect(await refusal(registry.list(kinds.note, { namespace: "a" }))).toEqual(refused);
    expect((await registry.get(kinds.note, { namespace: "a", name: "x" }, { resourceVersion: "0" })).name).toBe("x");
    await registry.close();
  });
});

test("a write without a version is retried a limited number of times", async () => {
  const kv = wrapped({});
  const { registry, kinds, post, replace } = await openFixture({ kv, attemptsMax: 7 });
  await post(kinds.note, { metadata: { name: "x" } });
  let tries = 0;
  const conflict = async (key: string) => {
    tries += 1;
    throw new RevisionConflict(key, 1n);
  };
  kv.override.put = conflict;
  kv.override.delete = conflict;
  const refused = { code: 409, reason: "Conflict" };
  expect(await refusal(replace(kinds.note, { metadata: { name: "x" }, data: { k: "2" } }))).toMatchObject(refused);
  expect(tries).toBe(7);
  const deleted = registry.delete(kinds.note, { namespace: "a", name: "x" }, {}, context());
  expect(await refusal(deleted)).toMatchObject(refused);
  expect(tries).toBe(14);
  await registry.close();
});

test("a kind may be added, removed and added again, and its objects are those of the store", async () => {
  const { registry, catalog, post, kv } = await openFixture();
  const Gadget = () =>
    customKind({
      group: "toys.example.com",
      version: "v1",
      kind: "Gadget",
      resource: "gadgets",
      scope: "Cluster",
      doc: "",
      fields: {},
    });
  const first = Gadget();
  catalog.replace({ add: [first] });
  const bound = () => catalog.byKind("toys.example.com", "v1", "Gadget")!;
  const before = bound();
  for (const name of ["a", "b"]) await post(before, { metadata: { name } });
  const told = collect(
    await registry.watch(before, { namespace: "", allowBookmarks: false, signal: new AbortController().signal }),
  );
  catalog.replace({ remove: [first] });
  const stored = await kv.get("/custom:toys.example.com/gadgets/a");
  await kv.delete("/custom:toys.example.com/gadgets/a", stored!.revision);
  await kv.put("/custom:toys.example.com/gadgets/c", stored!.value, 0n);
  catalog.replace({ add: [Gadget()] });
  const again = bound();
  expect(again).not.toBe(before);
  expect(names((await registry.list(again, { namespace: "" })).entries)).toEqual(["b", "c"]);
  expect(told.outcome).toEqual({ ended: true, reason: undefined });
  await post(again, { metadata: { name: "d" } });
  expect(names((await registry.list(again, { namespace: "" })).entries)).toEqual(["b", "c", "d"]);
  await registry.close();
});

test("a cache that begins again reads a large store in time slices", async () => {
  const inner = createMemoryKv();
  let stop = new AbortController();
  const gate = { open: true };
  const kv = wrapped(
    {
      async *watch(prefix, since, signal) {
        while (!gate.open && !signal.aborted) await settled();
        stop = new AbortController();
        yield* inner.watch(prefix, since, AbortSignal.any([signal, stop.signal]));
        if (!signal.aborted) throw new KvError("unavailable", "the connection is gone");
      },
    },
    inner,
  );
  const { registry, kinds, post } = await openFixture({ kv, clock: systemClock });
  await post(kinds.note, { metadata: { name: "first" } });
  gate.open = false;
  stop.abort();
  const count = 6_000;
  const data = { k: "v".repeat(2_000) };
  for (let at = 0; at < count; at++) {
    const object = { metadata: { name: `n${at}`, namespace: "a" }, data };
    await inner.put(`/core/notes/a/n${at}`, Buffer.from(JSON.stringify(object)), 0n);
  }
  await inner.compact(await inner.revision());
  let turns = 0;
  const countTurns = () => {
    turns++;
    if (turns < 1_000) setImmediate(countTurns);
  };
  kv.override.range = async (...given) => {
    const page = await inner.range(...given);
    if (page.remaining === 0) setImmediate(countTurns);
    return page;
  };
  gate.open = true;
  expect((await registry.list(kinds.note, { namespace: "a" })).entries.length).toBe(count + 1);
  // Of 8 ms each; all of it would be one or two.
  expect(turns).toBeGreaterThan(3);
  turns = 1_000;
  await registry.close();
});
