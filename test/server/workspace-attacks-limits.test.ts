/** Attempts of somebody who administers one workspace to have more of the server than it is given. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  apply,
  core,
  definition,
  definitions,
  type Fetch,
  maps,
  merge,
  openTenants,
  post,
  read,
  sent,
  statusOf,
  type Tenants,
  tenancy,
} from "./workspace-attacks.suite.ts";

let server: Tenants["server"];
let shop: Tenants["shop"];
let mallory: Fetch;
let inside: Fetch;
beforeAll(async () => {
  ({ server, shop, mallory, inside } = await openTenants());
});
afterAll(() => server.close());

describe("a limit of a workspace", () => {
  const limited = async (limits: object) => {
    for (const next of [null, limits])
      expect((await server.fetch(`${tenancy}/workspaces/shop`, merge({ spec: { limits: next } }))).status).toBe(200);
  };
  afterAll(async () => {
    await server.fetch(`${tenancy}/workspaces/shop`, merge({ spec: { limits: null } }));
  });

  test.each([
    ["a create", maps, post({ metadata: { name: "more" } })],
    ["a generated name", maps, post({ metadata: { generateName: "more-" } })],
    [
      "an apply",
      `${maps}/more?fieldManager=m`,
      apply({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "more" } }),
    ],
    ["a namespace", "/api/v1/namespaces", post({ metadata: { name: "more" } })],
    ["an Event", `${core}/events`, post({ metadata: { name: "more" }, involvedObject: { namespace: "default" } })],
    ["a definition", definitions, post(definition("more.example.com", "More"))],
    [
      "a Lease by PUT",
      "/apis/coordination.orch.io/v1/namespaces/default/leases/more",
      sent("PUT", { metadata: { name: "more" } }),
    ],
  ])("of objects holds for %s", async (_what, path, init) => {
    await limited({ objects: 1 });
    expect([path, [403, 404].includes(await statusOf(inside, path, init))]).toEqual([path, true]);
    expect((await shop.fetch(`${maps}/more`)).status).toBe(404);
  });

  test("of objects holds for each of a transaction", async () => {
    const { items } = await read<{ items: object[] }>(shop.fetch, "/api/v1/configmaps");
    await limited({ objects: 1 });
    const operations = ["t1", "t2"].map((name) => ({
      operation: "create",
      object: { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace: "default", name } },
    }));
    const body = { apiVersion: "batch.orch.io/v1alpha1", kind: "Transaction", spec: { operations } };
    expect(await statusOf(inside, "/apis/batch.orch.io/v1alpha1/transactions", post(body))).toBe(403);
    expect((await read<{ items: object[] }>(shop.fetch, "/api/v1/configmaps")).items).toHaveLength(items.length);
  });

  test("of definitions holds for an apply too", async () => {
    await limited({ definitions: 0 });
    const one = definition("more.example.com", "More");
    expect(await statusOf(inside, definitions, post(one))).toBe(403);
    expect(await statusOf(inside, `${definitions}/${one.metadata.name}?fieldManager=m`, apply(one))).toBe(403);
  });

  test("is not to be changed from inside, nor for longer than the server wants", async () => {
    expect(await statusOf(mallory, `${tenancy}/workspaces/shop`, merge({ spec: { limits: null } }))).toBe(403);
    expect(await statusOf(inside, `${tenancy}/workspaces/shop`, merge({ spec: { limits: null } }))).toBe(404);
    const bad = [{ objects: -1 }, { bytes: "many" }, { requestsInFlight: 0 }, { definitions: -1 }];
    for (const limits of bad)
      expect([400, 422]).toContain(
        (await server.fetch(`${tenancy}/workspaces/shop`, merge({ spec: { limits } }))).status,
      );
  });
});

test("names of workspaces that nobody has are in no metric, and those of deleted ones in none for long", async () => {
  for (let at = 0; at < 20; at++) {
    await server.fetch(`/clusters/made-up-${at}/api`);
    await mallory(`/clusters/made-up-${at}/api`);
  }
  await server.workspace("brief");
  await server.fetch(`${tenancy}/workspaces/brief`, merge({ spec: { suspended: true } }));
  await expect.poll(async () => (await server.fetch("/clusters/brief/api")).status).toBe(503);
  const metrics = async () => await (await server.fetch("/metrics")).text();
  expect(await metrics()).toContain('workspace="brief",code="503"');
  await server.fetch(`${tenancy}/workspaces/brief`, { method: "DELETE" });
  await server.untilGone("Workspace", "brief");
  expect(await metrics()).not.toMatch(/made-up|brief/);
});
