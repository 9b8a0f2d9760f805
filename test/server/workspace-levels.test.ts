/** Workspaces that go on elsewhere: at a higher level, where each has what that level begins with, and as a server of their own. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createServer, type OrchServer } from "../../src/main/library.ts";

type Fetch = OrchServer["fetch"];
const maps = "/api/v1/namespaces/default/configmaps";
const roles = "/apis/rbac.authorization.orch.io/v1/clusterroles";
const post = (body: object): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});
interface Role {
  readonly metadata: { readonly name: string };
  readonly rules: readonly object[] | null;
}
const rolesOf = async (fetch: Fetch) => {
  const { items } = (await (await fetch(roles)).json()) as { items: Role[] };
  return new Map(items.map(({ metadata, rules }) => [metadata.name, rules]));
};

test("workspaces of a lower level have the roles of the level at which they are served", async () => {
  const folder = mkdtempSync(join(tmpdir(), "workspace-levels-"));
  const file = join(folder, "backup");
  const options = { workspaces: true, controllers: false } as const;
  const old = await createServer({ ...options, emulatedVersion: "1.21" });
  const shop = await old.workspace("shop");
  await shop.fetch(maps, post({ metadata: { name: "kept" } }));
  await shop.fetch(roles, post({ metadata: { name: "own" }, rules: [] }));
  await shop.fetch(`${roles}/view`, { method: "DELETE" });
  const before = await rolesOf(shop.fetch);
  await old.snapshot(file);
  await old.close();
  const server = await createServer({ ...options, emulatedVersion: "1.37", from: file });
  const [now, fresh] = [await server.workspace("shop"), await server.workspace("fresh")];
  const [there, wanted] = [await rolesOf(now.fetch), await rolesOf(fresh.fetch)];
  expect(before.has("system:controller:service-cidrs-controller")).toBe(false);
  expect([...wanted.keys()].filter((name) => !there.has(name))).toEqual([]);
  expect(there.get("system:node")).toEqual(expect.arrayContaining([...wanted.get("system:node")!]));
  expect(there.get("own")).toEqual(before.get("own"));
  expect((await now.fetch(`${maps}/kept`)).status).toBe(200);
  await server.close();
  rmSync(folder, { recursive: true });
});

test("the backup of a workspace is of it alone, and opens as a server", async () => {
  const folder = mkdtempSync(join(tmpdir(), "workspace-backup-"));
  const file = join(folder, "backup");
  const options = { workspaces: true, controllers: false } as const;
  const server = await createServer(options);
  for (const name of ["shop", "bank"]) {
    const { fetch } = await server.workspace(name);
    await fetch(maps, post({ metadata: { name: `of-${name}` } }));
  }
  const shop = await server.workspace("shop");
  await shop.fetch(`${roles}/view`, { method: "DELETE" });
  writeFileSync(file, Buffer.from(await (await shop.fetch("/backup")).arrayBuffer()));
  await server.close();
  const alone = await createServer({ from: file, controllers: false });
  const names = ((await (await alone.fetch(maps)).json()) as { items: Role[] }).items.map(
    ({ metadata }) => metadata.name,
  );
  expect(names).toContain("of-shop");
  expect(names).not.toContain("of-bank");
  expect([...(await rolesOf(alone.fetch)).keys()].filter((name) => name === "view" || name === "edit")).toEqual([
    "edit",
  ]);
  await alone.close();
  rmSync(folder, { recursive: true });
});
