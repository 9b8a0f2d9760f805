import { expect, test } from "vitest";
import { decodeJson } from "../machinery/json/json.ts";
import { decodeKind } from "../machinery/schema/decode-kind.ts";
import { badRequest, forbiddenRequest } from "../machinery/status/status.ts";
import type { AdmissionRequest } from "./contract/admission.ts";
import type { RegistryDeleteOptions } from "./contract/registry.ts";
import { collect, context, type Fixture, names, openFixture, refusal } from "./fixture.suite.ts";

const remove = (
  { registry, kinds }: Fixture,
  name: string,
  options: RegistryDeleteOptions = {},
  kind = kinds.note,
  dryRun = false,
) => registry.delete(kind, { namespace: kind.namespaced ? "a" : "", name }, options, context({ dryRun }));

test("an object that nothing holds is removed at once", async () => {
  const fixture = await openFixture();
  const { registry, kinds, post } = fixture;
  for (const [name, options] of [
    ["a", {}],
    ["b", { gracePeriodSeconds: 60 }],
    ["c", { gracePeriodSeconds: -1 }],
    ["d", { propagationPolicy: "Background" }],
    ["e", { orphanDependents: false }],
  ] as const) {
    await post(kinds.note, { metadata: { name } });
    expect(await remove(fixture, name, options)).toMatchObject({ removed: true, answer: "status" });
    expect(await refusal(remove(fixture, name, options))).toEqual({
      code: 404,
      reason: "NotFound",
      details: { name, kind: "notes" },
    });
  }
  await registry.close();
});

test("an object with finalizers becomes terminating, and is removed with its last finalizer", async () => {
  const fixture = await openFixture();
  const { registry, kinds, post, replace } = fixture;
  await post(kinds.note, { metadata: { name: "x", finalizers: ["e.com/1", "e.com/2"], generation: 4 } });
  const marked = await remove(fixture, "x");
  expect(marked).toMatchObject({ removed: false, answer: "object" });
  expect(marked.entry.object().metadata).toMatchObject({
    deletionTimestamp: "2021-06-01T00:00:00Z",
    deletionGracePeriodSeconds: 0,
    finalizers: ["e.com/1", "e.com/2"],
    generation: 5,
  });
  expect((await remove(fixture, "x")).entry).toBe(marked.entry);
  expect(await refusal(post(kinds.note, { metadata: { name: "x" } }))).toMatchObject({ reason: "AlreadyExists" });
  await replace(kinds.note, { metadata: { name: "x", finalizers: ["e.com/2"] } });
  const last = await replace(kinds.note, { metadata: { name: "x" }, data: { k: "bye" } });
  expect(last.entry.object()["data"]).toEqual({ k: "bye" });
  expect(registry.peek(kinds.note, { namespace: "a", name: "x" })).toBeUndefined();
  await registry.close();
});

test("no finalizer can be added to a terminating object", async () => {
  const fixture = await openFixture();
  const { registry, kinds, post, replace } = fixture;
  await post(kinds.note, { metadata: { name: "x", finalizers: ["e.com/1"] } });
  await remove(fixture, "x");
  expect(
    await refusal(replace(kinds.note, { metadata: { name: "x", finalizers: ["e.com/1", "e.com/2"] } })),
  ).toMatchObject({
    code: 422,
  });
  await registry.close();
});

test("propagation is recorded as a finalizer: the request decides, then the object, then the kind", async () => {
  const fixture = await openFixture();
  const { registry, kinds, post, replace } = fixture;
  const cases: { why: string; had?: string[]; options: RegistryDeleteOptions; left: string[] | undefined }[] = [
    { why: "requested", options: { propagationPolicy: "Orphan" }, left: ["orphan"] },
    { why: "requested", options: { propagationPolicy: "Foreground" }, left: ["foregroundDeletion"] },
    { why: "requested by orphanDependents", options: { orphanDependents: true }, left: ["orphan"] },
    { why: "the finalizer of the object decides", had: ["orphan"], options: {}, left: ["orphan"] },
    {
      why: "the finalizer of the object decides",
      had: ["foregroundDeletion"],
      options: {},
      left: ["foregroundDeletion"],
    },
    {
      why: "the request overrides the object",
      had: ["orphan"],
      options: { propagationPolicy: "Background" },
      left: undefined,
    },
    {
      why: "other finalizers stay",
      had: ["e.com/1", "orphan"],
      options: { propagationPolicy: "Foreground" },
      left: ["e.com/1", "foregroundDeletion"],
    },
  ];
  for (const [index, { why, had, options, left }] of cases.entries()) {
    const name = `n${index}`;
    await post(kinds.note, { metadata: { name, ...(had && { finalizers: had }) } });
    const { entry, removed } = await remove(fixture, name, options);
    expect([why, removed, removed ? undefined : entry.object().metadata.finalizers]).toEqual([
      why,
      left === undefined,
      left,
    ]);
  }
  await replace(kinds.lock, { metadata: { name: "l" } });
  const lock = await remove(fixture, "l", {}, kinds.lock);
  expect(lock.entry.object().metadata.finalizers).toEqual(["orphan"]);
  const changed = await remove(fixture, "l", { propagationPolicy: "Foreground" }, kinds.lock);
  expect(changed.entry.object().metadata.finalizers).toEqual(["foregroundDeletion"]);
  expect((await remove(fixture, "l", { propagationPolicy: "Background" }, kinds.lock)).removed).toBe(true);

  await post(kinds.note, { metadata: { name: "x" } });
  const both = { propagationPolicy: "Orphan", orphanDependents: true } as const;
  expect(await refusal(remove(fixture, "x", both))).toMatchObject({
    code: 422,
    details: { group: "meta.orch.io", kind: "DeleteOptions", causes: ["FieldValueInvalid propagationPolicy"] },
  });
  const sideways = { propagationPolicy: "Sideways" } as RegistryDeleteOptions;
  expect(await refusal(remove(fixture, "x", sideways))).toMatchObject({
    details: { causes: ["FieldValueNotSupported propagationPolicy"] },
  });
  await registry.close();
});

test("preconditions that do not hold are conflicts that name the object", async () => {
  const fixture = await openFixture();
  const { registry, kinds, post, replace } = fixture;
  const { entry } = await post(kinds.note, { metadata: { name: "x" } });
  const { uid = "" } = entry.object().metadata;
  await replace(kinds.note, { metadata: { name: "x" }, data: { k: "2" } });
  const refused = { code: 409, reason: "Conflict", details: { name: "x", kind: "Note" } };
  expect(await refusal(remove(fixture, "x", { preconditions: { uid: "other" } }))).toEqual(refused);
  expect(await refusal(remove(fixture, "x", { preconditions: { resourceVersion: String(entry.revision) } }))).toEqual(
    refused,
  );
  expect(await refusal(remove(fixture, "y", { preconditions: { uid } }))).toMatchObject({ code: 404 });
  const newest = String(await registry.revision());
  expect((await remove(fixture, "x", { preconditions: { uid, resourceVersion: newest } })).removed).toBe(true);
  await registry.close();
});

test("a graceful deletion waits, can be shortened but not lengthened, and ends with 0", async () => {
  const fixture = await openFixture();
  const { registry, kinds, post, clock } = fixture;
  const seconds = (object: {
    metadata: { deletionTimestamp?: string | null; deletionGracePeriodSeconds?: number };
  }) => [object.metadata.deletionGracePeriodSeconds, object.metadata.deletionTimestamp];
  const told = collect(
    await registry.watch(kinds.task, { namespace: "a", allowBookmarks: false, signal: new AbortController().signal }),
  );
  await post(kinds.task, { metadata: { name: "t" }, spec: { node: "n1" } });
  const first = await remove(fixture, "t", {}, kinds.task);
  expect([first.removed, ...seconds(first.entry.object())]).toEqual([false, 30, "2021-06-01T00:00:30Z"]);
  expect(first.entry.object().metadata.generation).toBe(2);
  clock.advance(2_000);
  const shorter = await remove(fixture, "t", { gracePeriodSeconds: 10 }, kinds.task);
  expect(seconds(shorter.entry.object())).toEqual([10, "2021-06-01T00:00:10Z"]);
  for (const options of [{}, { gracePeriodSeconds: 40 }, { gracePeriodSeconds: 10 }]) {
    expect((await remove(fixture, "t", options, kinds.task)).entry).toBe(shorter.entry);
  }
  const now = await remove(fixture, "t", { gracePeriodSeconds: 0 }, kinds.task);
  expect([now.removed, now.answer, ...seconds(now.entry.object())]).toEqual([
    true,
    "object",
    0,
    "2021-06-01T00:00:00Z",
  ]);
  expect(told.lines().map((line) => line.split(" ")[0])).toEqual([
    "ADDED",
    "MODIFIED",
    "MODIFIED",
    "MODIFIED",
    "DELETED",
  ]);

  await post(kinds.task, { metadata: { name: "idle" } });
  const idle = await remove(fixture, "idle", {}, kinds.task);
  expect([idle.removed, ...seconds(idle.entry.object())]).toEqual([true, 0, "2021-06-01T00:00:02Z"]);
  await post(kinds.task, { metadata: { name: "held", finalizers: ["e.com/1"] }, spec: { node: "n1" } });
  const held = await remove(fixture, "held", { gracePeriodSeconds: 0 }, kinds.task);
  expect([held.removed, ...seconds(held.entry.object())]).toEqual([false, 0, "2021-06-01T00:00:02Z"]);
  await registry.close();
});

test("a graceful deletion that only waits for finalizers keeps them", async () => {
  const fixture = await openFixture();
  const { registry, kinds, post } = fixture;
  await post(kinds.task, { metadata: { name: "t", finalizers: ["x.io/hold"] } });
  await remove(fixture, "t", { gracePeriodSeconds: 0 }, kinds.task);
  const again = await remove(fixture, "t", { propagationPolicy: "Orphan" }, kinds.task);
  expect([again.removed, again.entry.object().metadata.finalizers]).toEqual([false, ["x.io/hold"]]);
  await registry.close();
});

test("a grace period beyond the range of timestamps is cut to it, and can be shortened", async () => {
  const fixture = await openFixture();
  const { registry, kinds, post } = fixture;
  // Clients and objects may name any number of 64 bits.
  const wanted = [1e15, decodeJson(Buffer.from(String(2n ** 62n))) as number];
  for (const [index, gracePeriodSeconds] of wanted.entries()) {
    await post(kinds.task, { metadata: { name: `t${index}` }, spec: { node: "n1" } });
    const first = await remove(fixture, `t${index}`, { gracePeriodSeconds }, kinds.task);
    expect(first.entry.object().metadata.deletionTimestamp).toBe("9999-12-31T23:59:59Z");
    const now = await remove(fixture, `t${index}`, { gracePeriodSeconds: 0 }, kinds.task);
    expect(now.removed).toBe(true);
  }
  await registry.close();
});

test("a kind that is deleted in two steps stays until nothing holds it", async () => {
  const fixture = await openFixture();
  const { registry, kinds, post } = fixture;
  await post(kinds.space, { metadata: { name: "s" }, keepers: ["content"] });
  const { uid = "" } = registry.peek(kinds.space, { namespace: "", name: "s" })!.object().metadata;
  expect(await refusal(remove(fixture, "s", { preconditions: { uid: `${uid}x` } }, kinds.space))).toMatchObject({
    details: { kind: "spaces" },
  });
  const marked = await remove(fixture, "s", {}, kinds.space);
  expect([marked.removed, marked.answer]).toEqual([false, "object"]);
  expect(marked.entry.object()).toMatchObject({
    metadata: { deletionTimestamp: "2021-06-01T00:00:00Z" },
    status: { phase: "Terminating" },
  });
  expect(marked.entry.object().metadata.deletionGracePeriodSeconds).toBeUndefined();
  expect((await remove(fixture, "s", {}, kinds.space)).entry).toBe(marked.entry);
  const finalized = await registry.update(
    kinds.space,
    { namespace: "", name: "s" },
    () => decodeKind(kinds.space, { metadata: { name: "s" }, keepers: [] }),
    context(),
    { subresource: "finalize" },
  );
  expect(finalized.entry.object()).toMatchObject({ status: { phase: "Terminating" } });
  expect(registry.peek(kinds.space, { namespace: "", name: "s" })).toBeUndefined();

  await post(kinds.space, { metadata: { name: "empty" } });
  expect((await remove(fixture, "empty", {}, kinds.space)).removed).toBe(false);
  expect((await remove(fixture, "empty", {}, kinds.space)).removed).toBe(true);
  await registry.close();
});

test("a kind or a plugin may refuse a delete", async () => {
  const fixture = await openFixture({
    admission: {
      mutate() {},
      validate({ operation, old, object, name }) {
        if (operation !== "DELETE") return;
        expect([object, Object.isFrozen(old?.metadata)]).toEqual([undefined, true]);
        if (name === "precious") throw forbiddenRequest({ group: "", kind: "notes" }, name, "it is precious");
      },
    },
  });
  const { registry, kinds, post } = fixture;
  await post(kinds.space, { metadata: { name: "default" } });
  expect(await refusal(remove(fixture, "default", {}, kinds.space))).toEqual({
    code: 403,
    reason: "Forbidden",
    details: { name: "default", kind: "spaces" },
  });
  await post(kinds.note, { metadata: { name: "precious" } });
  expect(await refusal(remove(fixture, "precious"))).toMatchObject({ code: 403 });
  expect(registry.peek(kinds.note, { namespace: "a", name: "precious" })).toBeDefined();
  await registry.close();
});

test("a dry run removes and marks nothing", async () => {
  const fixture = await openFixture();
  const { registry, kinds, post, kv } = fixture;
  await post(kinds.note, { metadata: { name: "x" } });
  await post(kinds.note, { metadata: { name: "held", finalizers: ["e.com/1"] } });
  await post(kinds.task, { metadata: { name: "t" }, spec: { node: "n1" } });
  const before = await kv.revision();
  expect((await remove(fixture, "x", {}, kinds.note, true)).removed).toBe(true);
  const held = await remove(fixture, "held", {}, kinds.note, true);
  expect(held.entry.object().metadata.deletionTimestamp).toBe("2021-06-01T00:00:00Z");
  expect((await remove(fixture, "t", {}, kinds.task, true)).entry.object().metadata.deletionGracePeriodSeconds).toBe(
    30,
  );
  expect(await kv.revision()).toBe(before);
  await registry.close();
});

test("a collection is deleted as it is listed, and the first refusal stops it", async () => {
  const fixture = await openFixture({ deletesAtOnceMax: 2 });
  const { registry, kinds, post } = fixture;
  for (let n = 0; n < 10; n += 1) {
    const name = `n${n}`;
    await post(kinds.note, { metadata: { name, labels: { p: n % 2 ? "odd" : "even" } } });
  }
  await post(kinds.note, { metadata: { name: "n0" } }, "b");
  const clear = (query: object, options: RegistryDeleteOptions = {}, dryRun = false) =>
    registry.deleteCollection(kinds.note, { namespace: "a", ...query }, options, context({ dryRun }));
  const left = async () => names((await registry.list(kinds.note, { namespace: "a" })).entries);
  expect((await clear({}, {}, true)).deleted.length).toBe(10);
  const { deleted: odd, continue: rest } = await clear({ labelSelector: "p=odd" });
  expect(rest).toBe("");
  expect(names(odd.map(({ entry }) => entry))).toEqual(["n1", "n3", "n5", "n7", "n9"]);
  expect((await clear({ limit: 2 })).continue).not.toBe("");
  expect(await left()).toEqual(["n4", "n6", "n8"]);
  expect(await refusal(clear({}, { preconditions: { uid: "other" } }))).toMatchObject({ code: 409 });
  expect(await refusal(clear({ labelSelector: "a b" }))).toMatchObject({ code: 400 });
  expect(await left()).toEqual(["n4", "n6", "n8"]);
  await clear({});
  expect(await left()).toEqual([]);
  expect(names((await registry.list(kinds.note, { namespace: "" })).entries)).toEqual(["n0"]);
  await registry.close();
});

test("plugins check the objects of a collection in order, and a refusal stops the deletes after it", async () => {
  const asked: string[] = [];
  const validate = async ({ name, operation, ofCollection }: AdmissionRequest) => {
    if (operation !== "DELETE") return;
    asked.push(`${name} ${ofCollection}`);
    await new Promise((resolve) => setImmediate(resolve));
    if (name === "n2") throw badRequest("not this one");
  };
  const { registry, kinds, post } = await openFixture({ admission: { mutate() {}, validate }, deletesAtOnceMax: 8 });
  for (let n = 0; n < 5; n += 1) await post(kinds.note, { metadata: { name: `n${n}` } });
  expect(await refusal(registry.deleteCollection(kinds.note, { namespace: "a" }, {}, context()))).toMatchObject({
    code: 400,
  });
  expect(asked).toEqual(["n0 true", "n1 true", "n2 true"]);
  expect(names((await registry.list(kinds.note, { namespace: "a" })).entries)).toEqual(["n2", "n3", "n4"]);
  await registry.close();
});

const negative = { "1.21": [true, -5, "2021-05-31T23:59:55Z"], "1.35": [false, 1, "2021-06-01T00:00:01Z"] } as const;
for (const level of ["1.21", "1.35"] as const)
  test(`at level ${level} a negative grace period is that of the reference`, async () => {
    const fixture = await openFixture({ level });
    const { registry, kinds, post } = fixture;
    const [isRemoved, seconds, end] = negative[level];
    const spec = { node: "n1" };
    await post(kinds.task, { metadata: { name: "t" }, spec });
    const { removed, entry } = await remove(fixture, "t", { gracePeriodSeconds: -5 }, kinds.task);
    const { deletionGracePeriodSeconds, deletionTimestamp } = entry.object().metadata;
    expect([removed, deletionGracePeriodSeconds, deletionTimestamp]).toEqual([isRemoved, seconds, end]);
    await post(kinds.task, { metadata: { name: "u" }, spec });
    await remove(fixture, "u", {}, kinds.task);
    const shorter = await remove(fixture, "u", { gracePeriodSeconds: -5 }, kinds.task);
    expect([shorter.removed, shorter.entry.object().metadata.deletionGracePeriodSeconds]).toEqual([isRemoved, seconds]);
    await post(kinds.task, { metadata: { name: "v", finalizers: ["e.com/1"] }, spec });
    await remove(fixture, "v", { gracePeriodSeconds: -Number.MAX_SAFE_INTEGER }, kinds.task);
    const mark = (await registry.get(kinds.task, { namespace: "a", name: "v" })).object().metadata;
    expect(mark.deletionTimestamp).toBe(isRemoved ? "1970-01-01T00:00:00Z" : end);
    await registry.close();
  });

const ends = {
  "1.21": ["a marked", "b marked", "c gone", "d gone"],
  "1.35": ["a marked", "b marked", "c gone", "d marked"],
} as const;
for (const level of ["1.21", "1.35"] as const)
  test(`in a collection of level ${level} grace periods are those of the reference`, async () => {
    const fixture = await openFixture({ level });
    const { registry, kinds, post } = fixture;
    for (const [name, node] of Object.entries({ a: "n1", b: "n2", c: "", d: "n1" })) {
      await post(kinds.task, { metadata: { name }, spec: { node } });
    }
    const query = { namespace: "a" };
    const { deleted } = await registry.deleteCollection(kinds.task, query, {}, context());
    expect(deleted.map(({ entry, removed }) => `${entry.name} ${removed ? "gone" : "marked"}`)).toEqual(ends[level]);
    await registry.close();
  });

const deletesAtOnce = { "1.21": 1, "1.35": 8 } as const;
for (const level of ["1.21", "1.35"] as const)
  test(`at level ${level} a collection with grace periods has ${deletesAtOnce[level]} in the store at a time`, async () => {
    const { registry, kinds, kv, post } = await openFixture({ level, deletesAtOnceMax: 8 });
    for (let at = 0; at < 20; at++) await post(kinds.task, { metadata: { name: `t${at}` }, spec: { node: "n" } });
    const held: (() => void)[] = [];
    let isHeld = true;
    const put = kv.put.bind(kv);
    const once: typeof put = async (...given) => {
      if (isHeld) await new Promise<void>((resolve) => held.push(resolve));
      return await put(...given);
    };
    Object.assign(kv, { put: once });
    const deleting = registry.deleteCollection(kinds.task, { namespace: "a" }, {}, context());
    await expect.poll(() => held.length).toBe(deletesAtOnce[level]);
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(held).toHaveLength(deletesAtOnce[level]);
    isHeld = false;
    for (const release of held) release();
    expect((await deleting).deleted).toHaveLength(20);
    await registry.close();
  });
