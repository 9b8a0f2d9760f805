import { expect, test } from "vitest";
import { decodeKind } from "../machinery/schema/decode-kind.ts";
import { forbiddenRequest } from "../machinery/status/status.ts";
import type { AdmissionRequest } from "./contract/admission.ts";
import { context, openFixture, refusal } from "./fixture.suite.ts";

test("fields that only the server sets are not taken from the client", async () => {
  const { registry, kinds, post } = await openFixture();
  const sent = {
    name: "x",
    uid: "mine",
    creationTimestamp: "2001-01-01T00:00:00Z",
    deletionTimestamp: "2001-01-01T00:00:00Z",
    deletionGracePeriodSeconds: 5,
    selfLink: "/x",
    clusterName: "c",
    resourceVersion: "0",
    generation: 7,
    managedFields: [{ manager: "m", operation: "Update" }],
  };
  const note = (await post(kinds.note, { metadata: sent })).entry.object().metadata;
  expect(note).toEqual({
    resourceVersion: "2",
    name: "x",
    namespace: "a",
    uid: expect.stringMatching(/^00000000-/),
    creationTimestamp: "2021-06-01T00:00:00Z",
    generation: 7, // kinds that do not count generations keep the sent value, as the reference does
  });
  const task = (await post(kinds.task, { metadata: sent, status: { phase: "Done", count: 3 } })).entry.object();
  expect([task.metadata.generation, task["status"]]).toEqual([1, { count: 0 }]);
  await registry.close();
});

test("names are generated from generateName, which is cut to fit", async () => {
  const { registry, kinds, post } = await openFixture();
  const { entry } = await post(kinds.note, { metadata: { generateName: "pre-" } });
  expect(entry.name).toMatch(/^pre-x*\d+$/);
  expect(entry.name.length).toBe(9);
  const long = await post(kinds.note, { metadata: { generateName: "a".repeat(80) } });
  expect(long.entry.name.length).toBe(63);
  await registry.close();
});

test("a kind whose objects need no name generates one, and ignores generateName", async () => {
  const { registry, kinds, post } = await openFixture();
  for (const metadata of [{}, { generateName: "pre-" }]) {
    const { metadata: made } = (await post(kinds.notice, { metadata })).entry.object();
    expect(made.name).toMatch(/^0{8}-0{4}-4000-8000-/);
    expect(made.generateName).toBe("generateName" in metadata ? "pre-" : undefined);
  }
  expect((await post(kinds.notice, { metadata: { name: "n" } })).entry.name).toBe("n");
  await registry.close();
});

test("all errors are reported in one answer", async () => {
  const { registry, kinds, post } = await openFixture();
  const body = { metadata: { name: "Bad", labels: { "a b": "x" } }, spec: { node: "bad", size: -1 } };
  expect(await refusal(post(kinds.task, body))).toEqual({
    code: 422,
    reason: "Invalid",
    details: {
      name: "Bad",
      group: "example.orch.io",
      kind: "Task",
      causes: [
        "FieldValueInvalid metadata.name",
        "FieldValueInvalid metadata.labels",
        "FieldValueInvalid spec.size",
        "FieldValueInvalid spec.node",
      ],
    },
  });
  expect(await refusal(post(kinds.note, { metadata: {} }))).toMatchObject({
    code: 422,
    details: { kind: "Note", causes: ["FieldValueRequired metadata.name"] },
  });
  await registry.close();
});

test("the metadata of some kinds is checked last", async () => {
  const { registry, kinds, post } = await openFixture();
  for (const [text, cause] of [
    ["bad", "FieldValueInvalid text"],
    ["good", "FieldValueInvalid metadata.name"],
  ]) {
    const refused = await refusal(post(kinds.notice, { metadata: { name: "Bad" }, text }));
    expect(refused["details"]).toMatchObject({ causes: [cause] });
  }
  await registry.close();
});

test("a name that is taken is a conflict, with a hint to retry if it was generated", async () => {
  const { registry, kinds, post, environment } = await openFixture();
  await post(kinds.note, { metadata: { name: "x" } });
  expect(await refusal(post(kinds.note, { metadata: { name: "x" } }))).toEqual({
    code: 409,
    reason: "AlreadyExists",
    details: { name: "x", kind: "notes" },
  });
  Object.assign(environment, { randomSuffix: () => "same" });
  await post(kinds.note, { metadata: { generateName: "g-" } });
  expect(await refusal(post(kinds.note, { metadata: { generateName: "g-" } }))).toMatchObject({
    code: 409,
    reason: "AlreadyExists",
    details: { name: "g-same", retryAfterSeconds: 1 },
  });
  await registry.close();
});

test("the namespace of the path decides", async () => {
  const { registry, kinds, post } = await openFixture();
  expect(await refusal(post(kinds.note, { metadata: { name: "x", namespace: "other" } }))).toEqual({
    code: 400,
    reason: "BadRequest",
  });
  const { entry } = await post(kinds.space, { metadata: { name: "s", namespace: "default" } });
  expect(entry.object().metadata.namespace).toBeUndefined();
  await registry.close();
});

test("only the store refuses a resourceVersion: after validation, and not in a dry run", async () => {
  const { registry, kinds, post } = await openFixture();
  const metadata = { name: "x", resourceVersion: "5" };
  expect(await refusal(post(kinds.note, { metadata }))).toEqual({ code: 400, reason: "BadRequest" });
  expect(await refusal(post(kinds.note, { metadata: { ...metadata, name: "X" } }))).toMatchObject({ code: 422 });
  expect((await post(kinds.note, { metadata }, "a", { dryRun: true })).created).toBe(true);
  // What is not a version is ignored, as in v1.21.
  expect((await post(kinds.note, { metadata: { name: "x", resourceVersion: "abc" } })).created).toBe(true);
  await registry.close();
});

test("a dry run does everything but store", async () => {
  const calls: string[] = [];
  const admission = {
    mutate: ({ dryRun }: AdmissionRequest) => void calls.push(`mutate ${dryRun}`),
    validate: ({ dryRun }: AdmissionRequest) => void calls.push(`validate ${dryRun}`),
  };
  const { registry, kinds, post, kv } = await openFixture({ admission });
  const before = await kv.revision();
  const { entry, created } = await post(kinds.note, { metadata: { name: "x" } }, "a", { dryRun: true });
  expect([created, entry.object().metadata.resourceVersion, entry.object().metadata.uid !== ""]).toEqual([
    true,
    undefined,
    true,
  ]);
  expect(calls).toEqual(["mutate true", "validate true"]);
  expect(await kv.revision()).toBe(before);
  await post(kinds.note, { metadata: { name: "x" } });
  expect(await refusal(post(kinds.note, { metadata: { name: "x" } }, "a", { dryRun: true }))).toMatchObject({
    code: 409,
  });
  await registry.close();
});

test("admission may change the object before validation, and refuse it afterwards", async () => {
  const seen: unknown[] = [];
  const { registry, kinds, post } = await openFixture({
    admission: {
      mutate({ object, name, namespace, operation }) {
        seen.push([operation, namespace, name]);
        if (object !== undefined) object["data"] = { admitted: "yes" };
      },
      validate({ object, name }) {
        if (object !== undefined) object["data"] = { admitted: "too late" };
        if (name === "no") throw forbiddenRequest({ group: "", kind: "notes" }, name, "it must not be");
      },
    },
  });
  const { entry } = await post(kinds.note, { metadata: { name: "x" } });
  expect(entry.object()["data"]).toEqual({ admitted: "yes" });
  expect(await refusal(post(kinds.note, { metadata: { name: "no" } }))).toMatchObject({ code: 403 });
  expect(registry.peek(kinds.note, { namespace: "a", name: "no" })).toBeUndefined();
  expect(seen).toEqual([
    ["CREATE", "a", "x"],
    ["CREATE", "a", "no"],
  ]);
  await registry.close();
});

test("a stored object cannot be changed", async () => {
  const { registry, kinds } = await openFixture();
  const sent = decodeKind(kinds.task, { metadata: { name: "x", labels: { l: "1" } }, spec: {} });
  const { entry } = await registry.create(kinds.task, sent, { namespace: "a", name: "" }, context());
  const object = entry.object();
  expect(() => {
    object.metadata.labels!["l"] = "2";
  }).toThrow(TypeError);
  expect(() => {
    (object["spec"] as { size: number }).size = 9;
  }).toThrow(TypeError);
  await registry.close();
});

test("a name that is not valid in a key is refused before it reaches the store", async () => {
  const { registry, kinds, post } = await openFixture();
  for (const name of ["\ud800", "x".repeat(2_000)]) {
    expect(await refusal(post(kinds.rule, { metadata: { name } }))).toMatchObject({
      code: 422,
      details: { causes: ["FieldValueInvalid metadata.name"] },
    });
  }
  const { entry } = await post(kinds.rule, { metadata: { name: "system:A b\u0000é" } });
  expect((await registry.get(kinds.rule, { namespace: "", name: entry.name })).object().metadata.name).toBe(entry.name);
  await registry.close();
});

test("keys that every JavaScript object inherits are data like any other", async () => {
  const { registry, kinds, post } = await openFixture();
  const data = JSON.parse('{"__proto__":"a","constructor":"b","toString":"c"}');
  const { entry } = await post(kinds.note, { metadata: { name: "x", labels: { constructor: "y" } }, data });
  expect(JSON.stringify(entry.object()["data"])).toBe(JSON.stringify(data));
  expect(JSON.parse(entry.bytes.toString()).data.constructor).toBe("b");
  expect(({} as Record<string, unknown>)["a"]).toBeUndefined();
  await registry.close();
});

test("an object that is too large is refused with 413", async () => {
  const { registry, kinds, post } = await openFixture();
  const refused = await refusal(post(kinds.note, { metadata: { name: "x" }, data: { k: "v".repeat(1_600_000) } }));
  expect(refused).toEqual({ code: 413, reason: "RequestEntityTooLarge" });
  await registry.close();
});

test("an object that is too large only because of its managed fields is stored without them", async () => {
  const { registry, kinds, post } = await openFixture({
    ownership: {
      track({ next, manager }) {
        next.metadata.managedFields = [{ manager, operation: "Update", fieldsV1: { "f:x": "y".repeat(1_600_000) } }];
        return undefined;
      },
    },
  });
  const { entry } = await post(kinds.note, { metadata: { name: "x" } }, "a", { fieldManager: "me" });
  expect(entry.object().metadata.managedFields).toBeUndefined();
  await registry.close();
});

test("an object that was printed before is stored as it is, unless its name is taken", async () => {
  const { registry, kinds, post } = await openFixture();
  const { entry } = await post(kinds.note, { metadata: { name: "x" } });
  const encoded = entry.bytes.toString().replace(`"resourceVersion":"${entry.revision}",`, "");
  const ref = { namespace: "a", name: "y" };
  await registry.createEncoded(kinds.note, ref, encoded.replace('"name":"x"', '"name":"y"'));
  const { object } = await registry.get(kinds.note, ref).then((found) => ({ object: found.object() }));
  expect(object).toEqual({
    ...entry.object(),
    metadata: { ...entry.object().metadata, name: "y", resourceVersion: object.metadata.resourceVersion },
  });
  expect(await refusal(registry.createEncoded(kinds.note, ref, encoded))).toMatchObject({ reason: "AlreadyExists" });
  await registry.close();
});
