/** A store with workspaces at a higher level: each of them has what that level begins with, as the root has. */

import { mkdtempSync, rmSync } from "node:fs";
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
