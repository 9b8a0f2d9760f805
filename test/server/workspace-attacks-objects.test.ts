/** Attempts of somebody who administers one workspace to reach another one by objects and by places in lists. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  ask,
  definition,
  definitions,
  type Fetch,
  maps,
  mark,
  openTenants,
  post,
  read,
  secrets,
  send,
  sent,
  statusOf,
  type Tenants,
  tenancy,
} from "./workspace-attacks.suite.ts";

let server: Tenants["server"];
let shop: Tenants["shop"];
let bank: Tenants["bank"];
let mallory: Fetch;
let inside: Fetch;
beforeAll(async () => {
  ({ server, shop, bank, mallory, inside } = await openTenants());
});
afterAll(() => server.close());

describe("an object", () => {
  test("that is called as those of the server is not one of them", async () => {
    const taken = definition("tenancy.orch.io", "Workspace", "v1alpha1");
    const annotations = { "api-approved.orch.io": "unapproved, an attempt" };
    await send(inside, definitions, { ...taken, metadata: { ...taken.metadata, annotations } });
    await expect.poll(() => statusOf(inside, `${tenancy}/workspaces`)).toBe(200);
    const mine = {
      apiVersion: "tenancy.orch.io/v1alpha1",
      kind: "Workspace",
      metadata: { name: "bank" },
      spec: { suspended: true },
    };
    await send(inside, `${tenancy}/workspaces`, mine);
    await send(inside, `${tenancy}/workspaces`, { ...mine, metadata: { name: "mallorys" } });
    await inside(`${tenancy}/workspaces/bank`, { method: "DELETE" });
    expect((await bank.fetch(maps)).status).toBe(200);
    expect((await server.fetch("/clusters/mallorys/api")).status).toBe(404);
    await inside(`${definitions}/workspaces.tenancy.orch.io`, { method: "DELETE" });
  });

  test("that takes a group for itself takes it here alone", async () => {
    const spec = {
      group: "apps",
      version: "v1",
      service: { namespace: "default", name: "orch", port: 443 },
      insecureSkipTLSVerify: true,
      groupPriorityMinimum: 1,
      versionPriority: 1,
    };
    const services = "/apis/apiregistration.orch.io/v1/apiservices";
    const own = { ...spec, group: "bank.example.com" };
    await send(inside, services, { metadata: { name: "v1.bank.example.com" }, spec: own });
    expect(await statusOf(bank.fetch, "/apis/bank.example.com/v1/vaults")).toBe(200);
    expect([404, 503]).toContain(await statusOf(inside, "/apis/bank.example.com/v1/vaults"));
    const { items } = await read<{ items: { spec: { service?: object } }[] }>(bank.fetch, services);
    expect(items.filter((one) => one.spec.service !== undefined)).toEqual([]);
    await inside(`${services}/v1.bank.example.com`, { method: "DELETE" });
  });

  test("in protobuf, YAML or a Table is read where the request is", async () => {
    const protobuf = "application/vnd.orch.protobuf";
    const there = await bank.fetch(`${maps}/${mark}-plan`, { headers: { accept: protobuf } });
    const body = Buffer.from(await there.arrayBuffer());
    expect(there.headers.get("content-type")).toContain("protobuf");
    expect((await inside(maps, { method: "POST", headers: { "content-type": protobuf }, body })).status).toBe(400); // it has a resourceVersion
    const put = await inside(`${maps}/${mark}-plan`, { method: "PUT", headers: { "content-type": protobuf }, body });
    expect([404, 409]).toContain(put.status);
    for (const accept of [protobuf, "application/yaml", "application/json;as=Table;g=meta.orch.io;v=v1"]) {
      expect(await statusOf(inside, maps, { headers: { accept } })).toBe(200);
      expect(await statusOf(mallory, `/clusters/bank${maps}`, { headers: { accept } })).toBe(403);
    }
  });

  test("of a transaction is one of the workspace of the request, whatever it says", async () => {
    const object = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { namespace: "default", name: "both", annotations: { "kcp.io/cluster": "bank" } },
    };
    const path = "/apis/batch.orch.io/v1alpha1/transactions";
    const operations = [{ operation: "create", object }];
    const done = await inside(
      path,
      post({ apiVersion: "batch.orch.io/v1alpha1", kind: "Transaction", spec: { operations } }),
    );
    expect([200, 201]).toContain(done.status);
    expect([(await shop.fetch(`${maps}/both`)).status, (await bank.fetch(`${maps}/both`)).status]).toEqual([200, 404]);
    const all = await read<{ items: { metadata: { name: string; annotations: Record<string, string> } }[] }>(
      server.fetch,
      "/clusters/*/api/v1/configmaps",
    );
    const found = all.items.filter(({ metadata }) => metadata.name === "both");
    expect(found.map(({ metadata }) => metadata.annotations["kcp.io/cluster"])).toEqual(["shop"]);
  });

  test("that names an owner there is collected here, and the owner stays", async () => {
    const { metadata } = await read<{ metadata: { uid: string } }>(bank.fetch, `${maps}/${mark}-plan`);
    const owner = {
      apiVersion: "v1",
      kind: "ConfigMap",
      name: `${mark}-plan`,
      uid: metadata.uid,
      blockOwnerDeletion: true,
    };
    await send(inside, maps, { metadata: { name: "claims", ownerReferences: [owner] } });
    await shop.untilGone("ConfigMap", "claims", { timeoutMs: 60_000 });
    const options = { propagationPolicy: "Foreground", preconditions: { uid: metadata.uid } };
    expect((await inside(`${maps}/${mark}-plan`, sent("DELETE", options))).status).toBe(404);
    expect((await bank.fetch(`${maps}/${mark}-plan`)).status).toBe(200);
  });
});

describe("a place in a list", () => {
  interface Page {
    readonly metadata: { readonly continue?: string; readonly resourceVersion: string };
  }
  test("of another workspace, of the root or of all of them is none here", async () => {
    for (const { fetch } of [bank, shop, server])
      for (const name of ["p1", "p2"]) await fetch(maps, post({ metadata: { name } }));
    for (const [fetch, path] of [
      [bank.fetch, maps],
      [server.fetch, maps],
      [server.fetch, "/clusters/*/api/v1/configmaps"],
      [shop.fetch, secrets],
    ] as const) {
      const { metadata } = await read<Page>(fetch, `${path}?limit=1`);
      const token = encodeURIComponent(metadata.continue ?? "");
      if (token !== "")
        expect([path, await statusOf(inside, `${maps}?limit=1&continue=${token}`)]).toEqual([path, 400]);
    }
  });

  test.each(["resourceVersionMatch=Exact", "resourceVersionMatch=NotOlderThan", "watch=1&timeoutSeconds=1"])(
    "at a resourceVersion of another one shows what was here: %s",
    async (query) => {
      const { metadata } = await read<Page>(bank.fetch, `${maps}/${mark}-plan`);
      const at = await ask(inside, `${maps}?resourceVersion=${metadata.resourceVersion}&${query}`);
      expect([200, 410]).toContain(at.status);
    },
  );

  test("in the past is one of what was here, and the past of a workspace is not told outside", async () => {
    const { metadata } = await read<Page>(bank.fetch, `${maps}/${mark}-plan`);
    const time = new Date().toISOString();
    for (const [path, status] of [
      [`${maps}?atTime=${time}`, 200],
      [`/apis/history.orch.io/v1alpha1/namespaces/default/changes/${metadata.resourceVersion}`, 404],
    ] as const)
      expect([path, await statusOf(inside, path)]).toEqual([path, status]);
    // What mallory has tried before is in the shop's own history.
    const all = "/apis/history.orch.io/v1alpha1/changes?limit=500";
    const { items } = await read<{ items: { object: { name: string } }[] }>(inside, all);
    expect(items.length).toBeGreaterThan(0);
    expect(items.filter(({ object }) => object.name.includes(mark))).toEqual([]);
    expect((await inside(`${maps}/${mark}-plan?atTime=${time}`)).status).toBe(404);
    for (const path of [all, `/api/v1/configmaps?atTime=${time}`]) await ask(server.fetch, path);
  });
});
