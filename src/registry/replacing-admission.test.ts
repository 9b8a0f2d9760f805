import { expect, test } from "vitest";
import { createAdmission } from "../admission/chain.ts";
import { createOwnership } from "../machinery/apply/ownership.ts";
import { copyJson } from "../machinery/json/json-value.ts";
import type { ApiObject } from "../machinery/schema/kind.ts";
import type { AdmissionRequest } from "./contract/admission.ts";
import { openFixture, refusal } from "./fixture.suite.ts";

/** A registry whose plugin replaces the objects as `change` does, in the version of the request. */
async function openReplacing(change: (object: ApiObject, request: AdmissionRequest) => void) {
  const state = { isOn: true };
  const plugin = {
    name: "Webhook",
    handles: () => state.isOn,
    async mutate(request: AdmissionRequest) {
      const { object } = await request.in(request.kind);
      const next = copyJson(object);
      if (next === undefined) return;
      change(next, request);
      await request.replace(next, request.kind);
    },
  };
  const fixture = await openFixture({ admission: createAdmission([plugin]), ownership: createOwnership() });
  return { ...fixture, state };
}
const me = { fieldManager: "me" };

test("fields that a plugin adds are stored and have no manager, on create and on update", async () => {
  const { registry, kinds, post, replace } = await openReplacing((object) => {
    object["data"] = { ...(object["data"] as object), hooked: "1" };
  });
  const owned = { "f:data": { ".": {}, "f:k": {} } };
  const created = await post(kinds.note, { metadata: { name: "n" }, data: { k: "v" } }, "a", me);
  expect(created.entry.object()).toMatchObject({ data: { k: "v", hooked: "1" } });
  expect(created.entry.object().metadata.managedFields?.map(({ fieldsV1 }) => fieldsV1)).toEqual([owned]);
  const changed = await replace(kinds.note, { metadata: { name: "n" }, data: { k: "w" } }, "a", me);
  expect(changed.entry.object()).toMatchObject({ data: { k: "w", hooked: "1" } });
  expect(changed.entry.object().metadata.managedFields?.map(({ fieldsV1 }) => fieldsV1)).toEqual([owned]);
  await registry.close();
});

test("a plugin may undo a change, so that nothing is written", async () => {
  const { registry, kinds, post, replace } = await openReplacing((object) => {
    object["data"] = { k: "v" };
  });
  const created = await post(kinds.note, { metadata: { name: "n" }, data: { k: "v" } }, "a", me);
  const changed = await replace(kinds.note, { metadata: { name: "n" }, data: { k: "w" } }, "a", me);
  expect(changed.entry).toBe(created.entry);
  await registry.close();
});

test("a plugin sees the version of the request, and fields that it omits get their defaults again", async () => {
  const seen: unknown[] = [];
  const { registry, kinds, post } = await openReplacing((object) => {
    seen.push(object.apiVersion, object["host"]);
    object["host"] = "n2";
    delete object["size"];
  });
  const { entry } = await post(kinds.taskBeta, { metadata: { name: "t" }, host: "n1" });
  expect(seen).toEqual(["example.orch.io/v1beta1", "n1", "example.orch.io/v1beta1", "n2"]);
  expect(entry.object()["spec"]).toMatchObject({ node: "n2", size: 5 });
  await registry.close();
});

const refusals = [
  { why: "another namespace", change: ({ metadata }: ApiObject) => (metadata.namespace = "b"), code: 400 },
  { why: "a value that is not valid", change: ({ metadata }: ApiObject) => (metadata.name = "NOT VALID"), code: 422 },
];
for (const { why, change, code } of refusals) {
  test(`a new object to which a plugin gives ${why} is refused`, async () => {
    const { registry, kinds, post } = await openReplacing((object) => void change(object));
    expect(await refusal(post(kinds.note, { metadata: { name: "n" } }))).toMatchObject({ code });
    await registry.close();
  });
}

test("a plugin may name a new object, and may require a version that is no longer current", async () => {
  const { registry, kinds, post, replace } = await openReplacing(({ metadata }, { operation }) => {
    if (operation === "CREATE") metadata.name = "renamed";
    else metadata.resourceVersion = "1";
  });
  const { entry } = await post(kinds.note, { metadata: { generateName: "n-" } });
  expect(entry.name).toBe("renamed");
  expect(await refusal(replace(kinds.note, { metadata: { name: "renamed" } }))).toMatchObject({ code: 409 });
  await registry.close();
});
