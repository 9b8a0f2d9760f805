/** What of workspaces is in the store: over restarts, in backups, and after a deletion. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { OrchServer } from "../library/options.ts";
import { createServer } from "../library.ts";

const folder = mkdtempSync(join(tmpdir(), "workspaces-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const json = { "content-type": "application/json" };
const map = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });
const post = (body: object): RequestInit => ({ method: "POST", headers: json, body: JSON.stringify(body) });
const maps = "/api/v1/namespaces/default/configmaps";
const workspaces = "/apis/tenancy.orch.io/v1alpha1/workspaces";
const names = async (fetch: OrchServer["fetch"], path: string) =>
  ((await (await fetch(path)).json()) as { items: { metadata: { name: string } }[] }).items.map(
    (one) => one.metadata.name,
  );

test("a workspace is there after a restart, with what it has deleted of what it began with", async () => {
  const dataDir = join(folder, "data");
  const options = { workspaces: true, controllers: false, dataDir } as const;
  const roles = "/apis/rbac.authorization.orch.io/v1/clusterroles";
  let uid: unknown;
  const uidOf = async (fetch: OrchServer["fetch"]) =>
    ((await (await fetch("/api/v1/namespaces/default")).json()) as { metadata: { uid: string } }).metadata.uid;
  {
    await using server = await createServer(options);
    const shop = await server.workspace("shop");
    expect((await shop.fetch(maps, post(map("kept")))).status).toBe(201);
    expect((await shop.fetch(`${roles}/view`, { method: "DELETE" })).status).toBe(200);
    uid = await uidOf(shop.fetch);
  }
  await using server = await createServer(options);
  const shop = await server.workspace("shop");
  expect(await names(shop.fetch, maps)).toEqual(["kept"]);
  expect(await names(server.fetch, maps)).toEqual([]);
  expect((await shop.fetch(`${roles}/view`)).status).toBe(404);
  expect((await shop.fetch(`${roles}/edit`)).status).toBe(200);
  expect(await uidOf(shop.fetch)).toBe(uid);
  const path = join(folder, "snapshot.backup");
  await server.snapshot(path);
  await using restored = await createServer({ workspaces: true, controllers: false, from: path });
  const again = await restored.workspace("shop");
  expect(await names(again.fetch, maps)).toEqual(["kept"]);
  expect((await again.fetch(`${roles}/view`)).status).toBe(404);
});

test("a store with workspaces opens without them as the root", async () => {
  await using server = await createServer({ workspaces: true, controllers: false });
  const shop = await server.workspace("shop");
  await shop.fetch(maps, post(map("inside")));
  await server.fetch(maps, post(map("outside")));
  const path = join(folder, "plain.backup");
  await server.snapshot(path);
  await using plain = await createServer({ controllers: false, from: path });
  expect(await names(plain.fetch, maps)).toEqual(["outside"]);
  expect((await plain.fetch(workspaces)).status).toBe(404);
  expect((await plain.fetch(`/clusters/shop${maps}`)).status).toBe(404);
});

test("a workspace that is deleted takes its objects along, and one of the same name begins anew", async () => {
  await using server = await createServer({ workspaces: true, controllers: false });
  const shop = await server.workspace("shop");
  for (let at = 0; at < 250; at++) await shop.fetch(maps, post(map(`m${at}`)));
  const watch = await shop.fetch(`${maps}?watch=1`);
  await server.fetch(`${workspaces}/shop`, { method: "DELETE" });
  await server.untilGone("Workspace", "shop");
  await watch.text(); // it has ended
  expect((await shop.fetch(maps)).status).toBe(404);
  const again = await server.workspace("shop");
  expect(await names(again.fetch, maps)).toEqual([]);
});

test("a fork has the workspaces of its server, and both go on apart", async () => {
  await using server = await createServer({ workspaces: true, controllers: false });
  const shop = await server.workspace("shop");
  await shop.fetch(maps, post(map("before")));
  await using fork = await server.fork();
  const forked = await fork.workspace("shop");
  await forked.fetch(maps, post(map("there")));
  await shop.fetch(maps, post(map("here")));
  expect(await names(forked.fetch, maps)).toEqual(["before", "there"]);
  expect(await names(shop.fetch, maps)).toEqual(["before", "here"]);
});
