/** When what workspaces begin with leaves the store and memory. */

import { expect, test } from "vitest";
import { baseIds, choices } from "./bases.ts";
import { all, maps, openWithClock, post } from "./clock.fixture.ts";
import { unusedBaseMs } from "./limits.ts";

const types = "/apis/tenancy.orch.io/v1alpha1/workspacetypes";
const remove = { method: "DELETE" };
const patch = (body: object) => ({
  method: "PATCH",
  headers: { "content-type": "application/merge-patch+json" },
  body: JSON.stringify(body),
});

async function open() {
  const opened = await openWithClock(10);
  const { fetch, kv, clock } = opened;
  await fetch(types, post({ metadata: { name: "team" }, spec: { objects: [] } }));
  const gone = (name: string) => expect.poll(async () => (await fetch(`${all}/${name}`)).status).toBe(404);
  const held = async () => [(await baseIds(kv)).length, (await choices(kv)).length];
  /** Time passes until nothing more happens. */
  const wait = async () => {
    for (let round = 0; round < 6; round++) {
      clock.advance(unusedBaseMs / 2);
      for (let turn = 0; turn < 20; turn++) await new Promise((done) => setImmediate(done));
    }
  };
  return { ...opened, gone, held, wait };
}

test("a base stays while its type says the same or a workspace has begun with it, and goes when neither is so", async () => {
  const { server, fetch, make, write, count, gone, held, wait } = await open();
  await make("plain");
  await make("red", "team");
  expect(await held()).toEqual([2, 2]);
  await wait();
  expect(await held()).toEqual([2, 2]);
  await fetch(
    `${types}/team`,
    patch({ spec: { objects: [{ apiVersion: "v1", kind: "Namespace", metadata: { name: "n" } }] } }),
  );
  await make("blue", "team");
  expect(await held()).toEqual([3, 3]);
  await wait();
  expect(await held()).toEqual([3, 2]); // red has begun with the former state of the type
  expect(await write("red", "kept")).toBe(201);
  await fetch(`${all}/red`, remove);
  await gone("red");
  expect(await held()).toEqual([3, 2]);
  await wait();
  expect(await held()).toEqual([2, 2]);
  await fetch(`${all}/blue`, remove);
  await fetch(`${types}/team`, remove);
  await gone("blue");
  await wait();
  expect(await held()).toEqual([1, 1]);
  expect(await write("plain", "one")).toBe(201);
  expect(await count("plain")).toBe(1);
  await server.close();
});

test("a choice that another server has removed is made again", async () => {
  const { server, kv, fetch, make, write, gone } = await open();
  await make("red", "team");
  await fetch(`${all}/red`, remove);
  await gone("red");
  for (const { key, revision } of (await kv.range("workspace-")).entries) await kv.delete(key, revision);
  await make("blue", "team");
  expect(await write("blue", "one")).toBe(201);
  await server.close();
});

test("a workspace whose base is not in the store is not opened without it", async () => {
  const { server, kv, fetch, make } = await open();
  await make("red", "team");
  await server.workspaces.end(server.workspaces.find("red")?.metadata.uid ?? "");
  await server.workspaces.types.forget(server.workspaces.find("red")?.status?.base ?? "");
  for (const { key, revision } of (await kv.range("workspace-bases/")).entries) await kv.delete(key, revision);
  expect((await fetch(`/clusters/red${maps}`)).status).toBe(500);
  await server.close();
});
