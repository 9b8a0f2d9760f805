import { expect, test } from "vitest";
import { decodeKind } from "../machinery/schema/decode-kind.ts";
import type { ApiObject } from "../machinery/schema/kind.ts";
import type { AdmissionRequest } from "./contract/admission.ts";
import type { UpdateFunction, UpdateOptions } from "./contract/registry.ts";
import { context, type Fixture, openFixture, refusal } from "./fixture.suite.ts";

const at = (name: string) => ({ namespace: "a", name });
const change = (
  fixture: Fixture,
  name: string,
  how: UpdateFunction,
  options: UpdateOptions = {},
  kind = fixture.kinds.note,
) => fixture.registry.update(kind, kind.namespaced ? at(name) : { namespace: "", name }, how, context(), options);
const conflict = { code: 409, reason: "Conflict", details: { name: "x", kind: "notes" } };

test("a PUT replaces everything that a client may set", async () => {
  const { registry, kinds, post, replace } = await openFixture();
  await post(kinds.note, { metadata: { name: "x", labels: { a: "1" }, annotations: { b: "2" } }, data: { k: "v" } });
  const { entry, created } = await replace(kinds.note, { metadata: { name: "x" } });
  expect(created).toBe(false);
  expect(entry.object()).toEqual({
    kind: "Note",
    apiVersion: "v1",
    metadata: {
      resourceVersion: "3",
      name: "x",
      namespace: "a",
      uid: "00000000-0000-4000-8000-000000000001",
      creationTimestamp: "2021-06-01T00:00:00Z",
    },
  });
  await registry.close();
});

test("a write that changes nothing writes nothing", async () => {
  const { registry, kinds, post, replace, kv } = await openFixture();
  const first = await post(kinds.note, { metadata: { name: "x", labels: { a: "1", b: "2" } }, data: { k: "v" } });
  const again = await replace(kinds.note, { data: { k: "v" }, metadata: { labels: { b: "2", a: "1" }, name: "x" } });
  expect(again.entry).toBe(first.entry);
  expect(await kv.revision()).toBe(first.entry.revision);
  await registry.close();
});

test("the name and namespace of the body must be those of the path", async () => {
  const fixture = await openFixture();
  const { registry, kinds, post } = fixture;
  await post(kinds.note, { metadata: { name: "x" } });
  for (const metadata of [{ name: "y" }, { name: "" }, {}, { name: "x", namespace: "other" }]) {
    const refused = refusal(change(fixture, "x", () => decodeKind(kinds.note, { metadata })));
    expect(await refused).toEqual({ code: 400, reason: "BadRequest" });
  }
  await registry.close();
});

test("a version other than the current one is a conflict; 0 and none mean whatever is there", async () => {
  const { registry, kinds, post, replace } = await openFixture();
  const { entry } = await post(kinds.note, { metadata: { name: "x" } });
  const stale = String(entry.revision);
  await replace(kinds.note, { metadata: { name: "x", resourceVersion: stale }, data: { k: "1" } });
  expect(await refusal(replace(kinds.note, { metadata: { name: "x", resourceVersion: stale } }))).toEqual(conflict);
  expect(await refusal(replace(kinds.note, { metadata: { name: "x", resourceVersion: "abc" } }))).toMatchObject({
    code: 400,
  });
  const zero = await replace(kinds.note, { metadata: { name: "x", resourceVersion: "0" }, data: { k: "2" } });
  expect(zero.entry.revision).toBe(entry.revision + 2n);
  await registry.close();
});

test("a kind may require a version", async () => {
  const { registry, kinds, replace } = await openFixture();
  const made = await replace(kinds.lock, { metadata: { name: "l", resourceVersion: "1" }, holder: "me" });
  expect(made.created).toBe(true);
  expect(await refusal(replace(kinds.lock, { metadata: { name: "l" }, holder: "you" }))).toEqual({
    code: 422,
    reason: "Invalid",
    details: {
      name: "l",
      group: "example.orch.io",
      kind: "locks",
      causes: ["FieldValueInvalid metadata.resourceVersion"],
    },
  });
  await registry.close();
});

test("a missing object is created only if the kind allows it, or by apply", async () => {
  const fixture = await openFixture();
  const { registry, kinds, replace } = fixture;
  const absent = { code: 404, reason: "NotFound", details: { name: "x", kind: "notes" } };
  expect(await refusal(replace(kinds.note, { metadata: { name: "x" } }))).toEqual(absent);
  const note = () => decodeKind(kinds.note, { metadata: { name: "x" } });
  expect(await refusal(change(fixture, "x", note, { uid: "u" }))).toEqual(conflict);
  expect(await refusal(change(fixture, "x", note))).toEqual(absent);
  const applied = await change(fixture, "x", (current) => (current === undefined ? note() : current), {
    createIfMissing: true,
    apply: true,
    retry: true,
  });
  expect(applied.created).toBe(true);
  await registry.close();
});

test("the uid of a PUT is a precondition; a uid that a patch changes is an error", async () => {
  const fixture = await openFixture();
  const { registry, kinds, post } = fixture;
  const { entry } = await post(kinds.note, { metadata: { name: "x" } });
  const uid = entry.object().metadata.uid ?? "";
  const keep = (current: ApiObject | undefined) => current!;
  expect(await refusal(change(fixture, "x", keep, { uid: "other" }))).toEqual(conflict);
  expect((await change(fixture, "x", keep, { uid })).entry).toBe(entry);
  const invent = (current: ApiObject | undefined) => ({
    ...current!,
    metadata: { ...current!.metadata, uid: "other" },
  });
  expect(await refusal(change(fixture, "x", invent, { retry: true }))).toMatchObject({
    code: 422,
    details: { kind: "Note", causes: ["FieldValueInvalid metadata.uid"] },
  });
  await registry.close();
});

test("deletionTimestamp cannot be set by a client, and cannot be removed again", async () => {
  const { registry, kinds, post, replace } = await openFixture();
  await post(kinds.note, { metadata: { name: "x", finalizers: ["e.com/hold"] } });
  for (const [field, value] of [
    ["deletionTimestamp", "2001-01-01T00:00:00Z"],
    ["deletionGracePeriodSeconds", 5],
  ] as const) {
    expect(await refusal(replace(kinds.note, { metadata: { name: "x", [field]: value } }))).toMatchObject({
      code: 422,
      details: { causes: [`FieldValueInvalid metadata.${field}`] },
    });
  }
  await registry.delete(kinds.note, at("x"), {}, context());
  const { entry } = await replace(kinds.note, {
    metadata: { name: "x", finalizers: ["e.com/hold"] },
    data: { k: "late" },
  });
  expect(entry.object()).toMatchObject({
    metadata: { deletionTimestamp: "2021-06-01T00:00:00Z", deletionGracePeriodSeconds: 0 },
    data: { k: "late" },
  });
  await registry.close();
});

test("generation counts changes of the spec; status is kept by PUT and written through its subresource", async () => {
  const fixture = await openFixture();
  const { registry, kinds, post, replace } = fixture;
  await post(kinds.task, { metadata: { name: "t" }, spec: { size: 2 } });
  const state = (object: ApiObject) => [object.metadata.generation, object["spec"], object["status"]];
  const labelled = await replace(kinds.task, {
    metadata: { name: "t", labels: { l: "1" }, generation: 9 },
    spec: { size: 2 },
    status: { phase: "x" },
  });
  expect(state(labelled.entry.object())).toEqual([1, { size: 2 }, { count: 0 }]);
  const grown = await replace(kinds.task, { metadata: { name: "t" }, spec: { size: 3 } });
  expect(state(grown.entry.object())).toEqual([2, { size: 3 }, { count: 0 }]);
  const written = await change(
    fixture,
    "t",
    () =>
      decodeKind(kinds.task, {
        metadata: { name: "t", annotations: { n: "1" } },
        spec: { size: 99 },
        status: { phase: "Run", count: 1 },
      }),
    { subresource: "status" },
    kinds.task,
  );
  expect(state(written.entry.object())).toEqual([2, { size: 3 }, { phase: "Run", count: 1 }]);
  expect(written.entry.object().metadata.annotations).toEqual({ n: "1" });
  await registry.close();
});

test("a quantity in another notation is stored as written, and does not raise the generation", async () => {
  const { registry, kinds, post, replace } = await openFixture();
  await post(kinds.task, { metadata: { name: "t" }, spec: { weight: "1Ki" } });
  const put = async (weight: string) => {
    const { metadata, spec } = (
      await replace(kinds.task, { metadata: { name: "t" }, spec: { weight } })
    ).entry.object() as ApiObject & { spec?: object };
    return [metadata.generation, spec];
  };
  expect(await put("1024")).toEqual([1, { size: 1, weight: "1024" }]);
  expect(await put("1025")).toEqual([2, { size: 1, weight: "1025" }]);
  await registry.close();
});

test("for kinds with literal generations, an empty list that is written counts as a change every time", async () => {
  const { registry, kinds, post, replace } = await openFixture();
  await post(kinds.rule, { metadata: { name: "r" }, texts: [] });
  const generation = async (body: object) =>
    (await replace(kinds.rule, { metadata: { name: "r" }, ...body })).entry.object().metadata.generation;
  expect([await generation({}), await generation({ texts: [] }), await generation({ texts: [] })]).toEqual([1, 2, 3]);
  expect([await generation({ texts: null }), await generation({ text: "" })]).toEqual([3, 3]);
  await registry.close();
});

test("a subresource of another kind shows and accepts that kind, and follows the rules of the object", async () => {
  const admitted: unknown[] = [];
  const note = ({ object, old, subresource }: AdmissionRequest) =>
    void admitted.push([subresource, object?.kind, object?.["size"], old?.["size"]]);
  const fixture = await openFixture({ admission: { mutate: note, validate: note } });
  const { registry, kinds, post } = fixture;
  await post(kinds.task, { metadata: { name: "t" }, spec: { size: 2 } });
  admitted.length = 0;
  const { entry } = await change(
    fixture,
    "t",
    (current) => {
      expect(current).toMatchObject({ kind: "Size", size: 2 });
      return { ...current!, size: 5 };
    },
    { subresource: "size", retry: true },
    kinds.task,
  );
  expect([entry.object()["spec"], entry.object().metadata.generation]).toEqual([{ size: 5 }, 2]);
  expect(admitted).toEqual([
    ["size", "Size", 5, 2],
    ["size", "Size", 5, 2],
  ]);
  const refused = change(fixture, "t", (current) => ({ ...current!, size: -1 }), { subresource: "size" }, kinds.task);
  expect(await refusal(refused)).toMatchObject({
    code: 422,
    details: { kind: "Task", causes: ["FieldValueInvalid spec.size"] },
  });
  expect(await refusal(change(fixture, "t", (current) => current!, { subresource: "nope" }, kinds.task))).toMatchObject(
    { code: 404 },
  );
  await registry.close();
});

test("another version is changed in its own field names", async () => {
  const fixture = await openFixture();
  const { registry, kinds, post } = fixture;
  await post(kinds.task, { metadata: { name: "t" }, spec: { node: "n1", size: 2 } });
  const { entry } = await change(
    fixture,
    "t",
    (current) => {
      expect(current).toMatchObject({ apiVersion: "example.orch.io/v1beta1", host: "n1", size: 2 });
      return { ...current!, host: "n2" };
    },
    { retry: true },
    kinds.taskBeta,
  );
  expect(entry.object()).toMatchObject({ apiVersion: "example.orch.io/v1", spec: { node: "n2", size: 2 } });
  await registry.close();
});

test("admission sees the old object as it was, and a validating plugin changes neither it nor the stored object", async () => {
  const fixture = await openFixture({
    admission: {
      mutate({ old, object }) {
        if (old === undefined || object === undefined) return;
        expect(() => Object.assign(old.metadata, { labels: {} })).toThrow(TypeError);
        (object["data"] as Record<string, string>)["admitted"] = "yes";
        expect(old["data"]).toEqual({ k: "1" });
      },
      validate({ old, object }) {
        if (old === undefined) return;
        expect(old["data"]).toEqual({ k: "1" });
        Object.assign(object as object, { data: { admitted: "too late" } });
      },
    },
  });
  const { registry, kinds, post } = fixture;
  const before = await post(kinds.note, { metadata: { name: "x" }, data: { k: "1" } });
  const text = before.entry.bytes.toString();
  // The next state shares its parts with the frozen current one, as that of a patch may.
  const next = (current: ApiObject | undefined) => ({
    ...current!,
    metadata: { ...current!.metadata, labels: { l: "1" } },
  });
  const { entry } = await change(fixture, "x", next, { retry: true });
  expect(entry.object()["data"]).toEqual({ k: "1", admitted: "yes" });
  expect(before.entry.bytes.toString()).toBe(text);
  await registry.close();
});

test("exactly one of many writers with the same version succeeds", async () => {
  const { registry, kinds, post, replace } = await openFixture();
  let { entry } = await post(kinds.note, { metadata: { name: "x" } });
  for (let round = 0; round < 20; round += 1) {
    const resourceVersion = String(entry.revision);
    const racers = Array.from({ length: 64 }, (_, n) =>
      replace(kinds.note, { metadata: { name: "x", resourceVersion }, data: { winner: `${round}.${n}` } }).then(
        (written) => written,
        (error: { code: number }) => error.code,
      ),
    );
    const outcomes = await Promise.all(racers);
    const winners = outcomes.filter((outcome) => typeof outcome !== "number");
    expect(winners.length).toBe(1);
    expect(outcomes.filter((outcome) => outcome === 409).length).toBe(63);
    entry = winners[0]!.entry;
    expect((await registry.get(kinds.note, at("x"))).revision).toBe(entry.revision);
  }
  await registry.close();
});

test("no change is lost when all writers retry", async () => {
  const fixture = await openFixture();
  const { registry, kinds, post } = fixture;
  await post(kinds.note, { metadata: { name: "x" }, data: { n: "0" } });
  const add = (current: ApiObject | undefined): ApiObject => {
    const { n } = current!["data"] as { n: string };
    return { ...current!, data: { n: String(Number(n) + 1) } };
  };
  await Promise.all(Array.from({ length: 40 }, () => change(fixture, "x", add, { retry: true })));
  expect((await registry.get(kinds.note, at("x"))).object()["data"]).toEqual({ n: "40" });
  await registry.close();
});

test("a dry run shows the outcome at the present version", async () => {
  const { registry, kinds, post, replace } = await openFixture();
  const first = await post(kinds.note, { metadata: { name: "x" } });
  const { entry } = await replace(kinds.note, { metadata: { name: "x" }, data: { k: "dry" } }, "a", { dryRun: true });
  expect([entry.object()["data"], entry.revision]).toEqual([{ k: "dry" }, first.entry.revision]);
  expect((await registry.get(kinds.note, at("x"))).object()["data"]).toBeUndefined();
  await registry.close();
});

test("a duplicate owner is dropped, with a warning", async () => {
  const { registry, kinds, post } = await openFixture();
  const warnings: string[] = [];
  const owner = { apiVersion: "v1", kind: "Note", name: "o", uid: "u" };
  const { uid, ...rest } = owner;
  const metadata = { name: "x", ownerReferences: [owner, { ...owner, uid: "w" }, owner, { uid, ...rest }] };
  const { entry } = await post(kinds.note, { metadata }, "a", { warn: (text) => warnings.push(text) });
  expect(entry.object().metadata.ownerReferences?.map(({ uid }) => uid)).toEqual(["u", "w"]);
  expect(warnings.length).toBe(1);
  await registry.close();
});

test("managed fields see the owners that a patch names twice, and not those of a body", async () => {
  const seen: unknown[] = [];
  const { registry, kinds, post } = await openFixture({
    ownership: {
      track({ next }) {
        seen.push(next.metadata.ownerReferences?.length);
        return undefined;
      },
    },
  });
  await post(kinds.note, { metadata: { name: "x" } });
  const owner = { apiVersion: "v1", kind: "Note", name: "o", uid: "u" };
  for (const patch of [false, true]) {
    const warnings: string[] = [];
    const write = context({ fieldManager: "m", dryRun: true, warn: (text) => warnings.push(text) });
    const named: UpdateFunction = (current) => ({
      ...current!,
      metadata: { ...current!.metadata, ownerReferences: [owner, owner] },
    });
    const { entry } = await registry.update(kinds.note, at("x"), named, write, { patch });
    expect([entry.object().metadata.ownerReferences, warnings.length]).toEqual([[owner], 1]);
  }
  expect(seen).toEqual([1, 2]);
  await registry.close();
});

test("ownership is tracked in the version of the request, unless an apply has done so", async () => {
  const tracked: unknown[] = [];
  const fixture = await openFixture({
    ownership: {
      track({ kind, live, next, manager, subresource, now }) {
        tracked.push([kind.version, live?.metadata.name, next.metadata.name, manager, subresource, now]);
        next.metadata.managedFields = [{ manager, operation: "Update", apiVersion: kind.apiVersion, time: now }];
        return undefined;
      },
    },
  });
  const { registry, kinds, post, replace, clock } = fixture;
  const manager = { fieldManager: "me" };
  const body = { metadata: { name: "t" }, host: "n1" };
  const first = await post(kinds.taskBeta, body, "a", manager);
  clock.advance(5_000);
  const same = await replace(kinds.taskBeta, body, "a", manager);
  expect(same.entry).toBe(first.entry); // only the time of its owner would have changed
  await change(fixture, "t", (current) => ({ ...current!, spec: { size: 8 } }), { apply: true }, kinds.task);
  const kept = await replace(kinds.task, { metadata: { name: "t" }, spec: { size: 9 } });
  expect(kept.entry.object().metadata.managedFields?.length).toBe(1);
  expect(tracked).toEqual([
    ["v1beta1", undefined, "t", "me", "", "2021-06-01T00:00:00Z"],
    ["v1beta1", "t", "t", "me", "", "2021-06-01T00:00:05Z"],
  ]);
  await registry.close();
});
