import { expect, test } from "vitest";
import { collect, context, names, openFixture, refusal } from "./fixture.suite.ts";

test("a created object can be read, with the metadata that the server sets", async () => {
  const { registry, kinds, post } = await openFixture();
  const { entry, created } = await post(kinds.note, { metadata: { name: "x", labels: { l: "1" } }, data: { k: "v" } });
  expect(created).toBe(true);
  const read = await registry.get(kinds.note, { namespace: "a", name: "x" });
  expect(read).toBe(entry);
  expect(read.object()).toEqual({
    kind: "Note",
    apiVersion: "v1",
    metadata: {
      resourceVersion: String(read.revision),
      name: "x",
      namespace: "a",
      uid: "00000000-0000-4000-8000-000000000001",
      creationTimestamp: "2021-06-01T00:00:00Z",
      labels: { l: "1" },
    },
    data: { k: "v" },
  });
  const text = read.bytes.toString();
  expect(text.startsWith(`{"apiVersion":"v1","kind":"Note","metadata":{"resourceVersion":"${read.revision}",`)).toBe(
    true,
  );
  expect(JSON.parse(`{${text.slice(read.itemOffset)}`)).toEqual({
    metadata: read.object().metadata,
    data: { k: "v" },
  });
  expect([...read.labels]).toEqual([["l", "1"]]);
  expect([...read.fields]).toEqual([
    ["metadata.name", "x"],
    ["metadata.namespace", "a"],
  ]);
  await registry.close();
});

test("create, update, delete and list one after the other", async () => {
  const { registry, kinds, post, replace } = await openFixture();
  await post(kinds.note, { metadata: { name: "b" } });
  await post(kinds.note, { metadata: { name: "a" } });
  const changed = await replace(kinds.note, { metadata: { name: "a" }, data: { k: "2" } });
  const { entries, revision } = await registry.list(kinds.note, { namespace: "a" });
  expect(names(entries)).toEqual(["a", "b"]);
  expect(revision).toBe(changed.entry.revision);
  const deleted = await registry.delete(kinds.note, { namespace: "a", name: "a" }, {}, context());
  expect({ removed: deleted.removed, answer: deleted.answer }).toEqual({ removed: true, answer: "status" });
  expect(await refusal(registry.get(kinds.note, { namespace: "a", name: "a" }))).toEqual({
    code: 404,
    reason: "NotFound",
    details: { name: "a", kind: "notes" },
  });
  expect(names((await registry.list(kinds.note, { namespace: "a" })).entries)).toEqual(["b"]);
  await registry.close();
});

test("a watch gets every change in order", async () => {
  const { registry, kinds, post, replace } = await openFixture();
  const { revision } = await registry.list(kinds.note, { namespace: "a" });
  const watch = await registry.watch(kinds.note, {
    namespace: "a",
    resourceVersion: String(revision),
    allowBookmarks: false,
    signal: new AbortController().signal,
  });
  const told = collect(watch);
  await post(kinds.note, { metadata: { name: "x" } });
  await post(kinds.note, { metadata: { name: "y" } }, "b");
  await replace(kinds.note, { metadata: { name: "x" }, data: { k: "2" } });
  await registry.delete(kinds.note, { namespace: "a", name: "x" }, {}, context());
  const after = Number(revision);
  expect(told.lines()).toEqual([`ADDED a/x@${after + 1}`, `MODIFIED a/x@${after + 3}`, `DELETED a/x@${after + 4}`]);
  await registry.close();
  expect(told.outcome).toEqual({ ended: true, reason: undefined });
});
