import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openSubject, type Subject } from "./server.ts";

let subject: Subject;
beforeAll(async () => {
  subject = await openSubject();
});
afterAll(() => subject?.close());

/** A namespace with a short way to speak to its ConfigMaps. */
async function open() {
  const namespace = await subject.makeNamespace();
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  return {
    namespace,
    path,
    create: (name: string, more: Record<string, unknown> = {}) =>
      subject.request(path, { method: "POST", body: { metadata: { name }, ...more } }),
  };
}

describe("an object", () => {
  test("is created once, with the metadata that the server sets", async () => {
    const { create, namespace } = await open();
    const { status, body } = await create("a", { data: { k: "v" } });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      kind: "ConfigMap",
      apiVersion: "v1",
      metadata: {
        name: "a",
        namespace,
        uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
        resourceVersion: expect.stringMatching(/^\d+$/),
        creationTimestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      },
      data: { k: "v" },
    });
    const again = await create("a");
    expect([again.status, again.body.reason]).toEqual([409, "AlreadyExists"]);
  });

  test("gets a name from generateName", async () => {
    const { path } = await open();
    const { status, body } = await subject.request(path, {
      method: "POST",
      body: { metadata: { generateName: "made-" } },
    });
    expect(status).toBe(201);
    expect(body.metadata.name).toMatch(/^made-[a-z0-9]{5}$/);
  });

  test("with a stale resourceVersion is not updated", async () => {
    const { path, create } = await open();
    const { body: first } = await create("a", { data: { k: "1" } });
    const second = await subject.request(`${path}/a`, { method: "PUT", body: { ...first, data: { k: "2" } } });
    expect(second.status).toBe(200);
    const stale = await subject.request(`${path}/a`, { method: "PUT", body: { ...first, data: { k: "3" } } });
    expect([stale.status, stale.body.reason]).toEqual([409, "Conflict"]);
    expect((await subject.request(`${path}/a`)).body.data).toEqual({ k: "2" });
  });

  test("keeps its resourceVersion when an update changes nothing", async () => {
    const { path, create } = await open();
    const { body } = await create("a", { data: { k: "1" } });
    const same = await subject.request(`${path}/a`, { method: "PUT", body });
    expect(same.body.metadata.resourceVersion).toBe(body.metadata.resourceVersion);
  });

  test("with a finalizer stays until it is removed", async () => {
    const { path } = await open();
    await subject.request(path, {
      method: "POST",
      body: { metadata: { name: "a", finalizers: ["example.com/wait"] } },
    });
    const deleted = await subject.request(`${path}/a`, { method: "DELETE" });
    expect(deleted.status).toBe(200);
    const held = await subject.request(`${path}/a`);
    expect(held.body.metadata.deletionTimestamp).toBeDefined();
    await subject.request(`${path}/a`, {
      method: "PATCH",
      headers: { "content-type": "application/merge-patch+json" },
      body: { metadata: { finalizers: null } },
    });
    expect((await subject.request(`${path}/a`)).status).toBe(404);
  });

  test("is not written by a dry run", async () => {
    const { path } = await open();
    const dry = await subject.request(`${path}?dryRun=All`, { method: "POST", body: { metadata: { name: "a" } } });
    expect(dry.status).toBe(201);
    expect((await subject.request(`${path}/a`)).status).toBe(404);
  });

  const patches = [
    { type: "application/json-patch+json", body: [{ op: "replace", path: "/data/k", value: "2" }] },
    { type: "application/merge-patch+json", body: { data: { k: "2" } } },
    { type: "application/strategic-merge-patch+json", body: { data: { k: "2" } } },
  ];
  for (const { type, body } of patches) {
    test(`is patched with ${type}`, async () => {
      const { path, create } = await open();
      await create("a", { data: { k: "1", other: "x" } });
      const patched = await subject.request(`${path}/a`, { method: "PATCH", headers: { "content-type": type }, body });
      expect([patched.status, patched.body.data]).toEqual([200, { k: "2", other: "x" }]);
    });
  }

  test("is applied, and another manager's field is a conflict unless forced", async () => {
    const { path } = await open();
    const apply = (manager: string, value: string, force = false) =>
      subject.request(`${path}/a?fieldManager=${manager}${force ? "&force=true" : ""}`, {
        method: "PATCH",
        headers: { "content-type": "application/apply-patch+yaml" },
        body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { k: value } },
      });
    expect((await apply("one", "1")).status).toBe(201);
    const refused = await apply("two", "2");
    expect([refused.status, refused.body.details.causes[0].field]).toEqual([409, ".data.k"]);
    expect((await apply("two", "2", true)).body.data).toEqual({ k: "2" });
  });
});

describe("a list", () => {
  test("comes in chunks that show one revision", async () => {
    const { path, create } = await open();
    for (const name of ["a", "b", "c"]) await create(name);
    const first = await subject.request(`${path}?limit=2`);
    expect(first.body.items.map((item: { metadata: { name: string } }) => item.metadata.name)).toEqual(["a", "b"]);
    expect(first.body.metadata.remainingItemCount).toBe(1);
    await create("d");
    const second = await subject.request(`${path}?limit=2&continue=${first.body.metadata.continue}`);
    expect(second.body.items.map((item: { metadata: { name: string } }) => item.metadata.name)).toEqual(["c"]);
    expect(second.body.metadata.resourceVersion).toBe(first.body.metadata.resourceVersion);
  });

  test("is filtered by labels and fields", async () => {
    const { path } = await open();
    for (const [name, tier] of [
      ["a", "front"],
      ["b", "back"],
    ]) {
      await subject.request(path, { method: "POST", body: { metadata: { name, labels: { tier } } } });
    }
    const names = async (query: string) =>
      (await subject.request(`${path}?${query}`)).body.items.map(
        (item: { metadata: { name: string } }) => item.metadata.name,
      );
    expect(await names("labelSelector=tier%3Dfront")).toEqual(["a"]);
    expect(await names("labelSelector=tier+notin+(front)")).toEqual(["b"]);
    expect(await names("fieldSelector=metadata.name%3Db")).toEqual(["b"]);
  });

  test("is a table on request", async () => {
    const { path, create } = await open();
    await create("a", { data: { k: "v" } });
    const { body } = await subject.request(path, {
      headers: { accept: "application/json;as=Table;v=v1;g=meta.orch.io,application/json" },
    });
    expect(body.kind).toBe("Table");
    expect(body.columnDefinitions.map((column: { name: string }) => column.name)).toEqual(["Name", "Data", "Age"]);
    expect(body.rows[0].cells.slice(0, 2)).toEqual(["a", 1]);
  });
});

describe("a watch", () => {
  test("sends every change after a list, once and in order", async () => {
    const { path, create } = await open();
    await create("before");
    const { body: list } = await subject.request(path);
    const watch = subject.watch(`${path}?watch=true&resourceVersion=${list.metadata.resourceVersion}`, 3);
    await watch.started;
    const { body } = await create("a", { data: { k: "1" } });
    await subject.request(`${path}/a`, { method: "PUT", body: { ...body, data: { k: "2" } } });
    await subject.request(`${path}/a`, { method: "DELETE" });
    const events = await watch.events;
    expect(events.map(({ type, object }) => [type, object.metadata.name, object.data?.k])).toEqual([
      ["ADDED", "a", "1"],
      ["MODIFIED", "a", "2"],
      ["DELETED", "a", "2"],
    ]);
  });

  test("without a version begins with existing objects", async () => {
    const { path, create } = await open();
    await create("a");
    const events = await subject.watch(`${path}?watch=true`, 1).events;
    expect(events[0]).toMatchObject({ type: "ADDED", object: { metadata: { name: "a" } } });
  });
});
