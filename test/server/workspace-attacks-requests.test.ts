/** Attempts of somebody who administers one workspace to reach another one by what a request says: its path, headers, token and rights. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  accounts,
  ask,
  bearer,
  bindings,
  content,
  end,
  type Fetch,
  grant,
  json,
  maps,
  mark,
  merge,
  openTenants,
  post,
  read,
  roles,
  secrets,
  stateOfBank,
  statusOf,
  type Tenants,
  tenancy,
  tokenOf,
} from "./workspace-attacks.suite.ts";

let server: Tenants["server"];
let shop: Tenants["shop"];
let bank: Tenants["bank"];
let mallory: Fetch;
let anyone: Tenants["anyone"];
let inside: Fetch;
beforeAll(async () => {
  ({ server, shop, bank, mallory, anyone, inside } = await openTenants());
});
afterAll(() => server.close());

const aggregated = "application/json;g=apidiscovery.orch.io;v=v2;as=APIGroupDiscoveryList";

describe("a path or a header", () => {
  test.each([
    ...[
      "bank",
      "%62ank",
      "ban%6B",
      "BANK",
      "bank.",
      "bank%2e",
      "bank%00",
      "bank%2Fapi",
      "shop%2f..%2fbank",
      "shop;bank",
    ],
    ...[
      "*",
      "%2A",
      "*:team",
      "%2A%3Ateam",
      "**",
      "*,bank",
      "root",
      "%72oot",
      "system",
      "b%C3%A4nk",
      "xn--bnk-pla",
      "-a",
    ],
    ...["a".repeat(64), "a".repeat(5_000), "%2e%2e", "__proto__", "constructor", "toString", "workspaces"],
  ])("names no workspace that one may not enter: %.40s", async (name) => {
    expect([403, 404, 400]).toContain(await statusOf(mallory, `/clusters/${name}${maps}`));
  });

  test.each([
    "/clusters/shop/../bank",
    "/clusters/shop/%2e%2e/bank",
    "/clusters/shop/clusters/bank",
    "/clusters/shop//clusters/bank",
    "/clusters/shop/clusters/root",
    "/clusters//bank",
    "//clusters/bank",
    "/clusters/./bank",
  ])("leads out of no workspace: %s", async (path) => {
    expect([400, 403, 404]).toContain(await statusOf(mallory, path + maps));
  });

  test.each([
    "x-original-url",
    "x-rewrite-url",
    "x-forwarded-prefix",
    "x-forwarded-uri",
    "x-remote-user",
    "x-kubernetes-cluster",
  ])("that other servers believe changes nothing: %s", async (header) => {
    const value = header === "x-remote-user" ? "admin" : header.endsWith("cluster") ? "bank" : `/clusters/bank${maps}`;
    expect(await statusOf(inside, maps, { headers: { [header]: value } })).toBe(200);
    expect(await statusOf(mallory, `/clusters/bank${maps}`, { headers: { [header]: value } })).toBe(403);
  });

  test.each([
    ["system:admin", "system:masters"],
    ["admin", "system:masters"],
    ["system:apiserver", "system:masters"],
    ["system:node:one", "system:nodes"],
    ["root:system:serviceaccount:default:default", "system:serviceaccounts"],
    ["system:serviceaccount:orch-system:namespace-controller", "system:serviceaccounts"],
  ])("makes nobody else outside: impersonating %s", async (user, groupName) => {
    const headers = { "impersonate-user": user, "impersonate-group": groupName };
    for (const path of [maps, `/clusters/bank${maps}`, `/clusters/*${maps}`, `${tenancy}/workspaces`])
      expect([path, await statusOf(mallory, path, { headers })]).toEqual([path, 403]);
    expect(await statusOf(inside, `${tenancy}/workspaces`, { headers })).not.toBe(200);
  });

  test("has the answer of another workspace in no cache: discovery and OpenAPI by their tags", async () => {
    for (const [path, accept] of [
      ["/apis", aggregated],
      ["/openapi/v2", "application/json"],
      ["/openapi/v3", "application/json"],
    ] as const) {
      const there = await bank.fetch(path, { headers: { accept } });
      await there.arrayBuffer();
      const tag = there.headers.get("etag") ?? "";
      const here = await ask(inside, path, { headers: { accept, "if-none-match": tag } });
      expect([path, here.status, here.text.includes("bank.example.com")]).toEqual([path, 200, false]);
    }
    const { paths } = await read<{ paths: Record<string, { serverRelativeURL: string }> }>(bank.fetch, "/openapi/v3");
    const url = paths["apis/bank.example.com/v1"]?.serverRelativeURL ?? "";
    expect(url).toContain("bank.example.com");
    expect(await statusOf(inside, url.replace("/clusters/bank", ""))).toBe(404);
  });
});

describe("a token", () => {
  test("of a workspace is nobody's while it is suspended, and of no workspace that has its name later", async () => {
    const mill = await server.workspace("mill");
    const token = await tokenOf(mill.fetch, "miller");
    await grant(mill.fetch, "system:serviceaccount:default:miller", "view");
    const now = () => statusOf(anyone as Fetch, `/clusters/mill${maps}`, bearer(token));
    await expect.poll(now).toBe(200); // the role is gathered from others
    const watch = await anyone(`/clusters/mill${maps}?watch=1`, bearer(token));
    await server.fetch(`${tenancy}/workspaces/mill`, merge({ spec: { suspended: true } }));
    expect(await end(watch)).toBe("ended");
    expect(await now()).toBe(401);
    await server.fetch(`${tenancy}/workspaces/mill`, merge({ spec: { suspended: false } }));
    await expect.poll(now).toBe(200);
    const later = await anyone(`/clusters/mill${maps}?watch=1`, bearer(token));
    await server.fetch(`${tenancy}/workspaces/mill`, { method: "DELETE" });
    expect(await end(later)).toBe("ended");
    await server.untilGone("Workspace", "mill");
    expect(await now()).toBe(401);
    const again = await server.workspace("mill");
    await again.fetch(accounts, post({ metadata: { name: "miller" } }));
    await grant(again.fetch, "system:serviceaccount:default:miller", "view");
    expect(await now()).toBe(401);
  });

  test("with the claims of another workspace is refused: its signature is over them", async () => {
    const [header, claims = "", signature] = (await tokenOf(shop.fetch, "clerk")).split(".");
    const uid = async (name: string) =>
      (await read<{ metadata: { uid: string } }>(server.fetch, `${tenancy}/workspaces/${name}`)).metadata.uid;
    const text = Buffer.from(claims, "base64url").toString();
    const forged = text.replaceAll(await uid("shop"), await uid("bank")).replaceAll("/clusters/shop", "/clusters/bank");
    expect(forged).not.toBe(text);
    const changed = [header, Buffer.from(forged).toString("base64url"), signature].join(".");
    for (const path of ["/clusters/bank", "/clusters/shop", ""])
      expect(await statusOf(anyone as Fetch, path + maps, bearer(changed))).toBe(401);
    const unsigned = [
      Buffer.from('{"alg":"none"}').toString("base64url"),
      Buffer.from(forged).toString("base64url"),
      "",
    ];
    expect(await statusOf(anyone as Fetch, `/clusters/bank${maps}`, bearer(unsigned.join(".")))).toBe(401);
  });

  test("for the audience or the issuer of the root is still one of the workspace", async () => {
    const { issuer } = await read<{ issuer: string }>(server.fetch, "/.well-known/openid-configuration");
    await shop.fetch(accounts, post({ metadata: { name: "wide" } }));
    const asked = post({ spec: { audiences: [issuer, "https://orch.default.svc", "api"] } });
    const { status } = await read<{ status: { token: string } }>(inside, `${accounts}/wide/token`, asked);
    for (const path of [maps, `/clusters/bank${maps}`, `/clusters/root${maps}`])
      expect([path, await statusOf(anyone as Fetch, path, bearer(status.token))]).toEqual([path, 401]);
    const review = post({ spec: { token: status.token, audiences: [issuer] } });
    const path = "/apis/authentication.orch.io/v1/tokenreviews";
    expect(
      (await read<{ status: { authenticated?: boolean } }>(server.fetch, path, review)).status.authenticated,
    ).toBeFalsy();
  });

  test("is bound to nothing of another workspace", async () => {
    const { metadata } = await read<{ metadata: { uid: string } }>(bank.fetch, `${secrets}/${mark}-code`);
    const boundObjectRef = { kind: "Secret", apiVersion: "v1", name: `${mark}-code`, uid: metadata.uid };
    await shop.fetch(accounts, post({ metadata: { name: "binds" } }));
    expect((await inside(`${accounts}/binds/token`, post({ spec: { boundObjectRef } }))).status).toBe(404);
  });
});

describe("a right", () => {
  test("that a review inside speaks of is one inside", async () => {
    const resourceAttributes = {
      group: "tenancy.orch.io",
      resource: "workspaces",
      subresource: "content",
      verb: "access",
      name: "bank",
    };
    const path = "/apis/authorization.orch.io/v1/subjectaccessreviews";
    const review = await read<{ status: { allowed: boolean } }>(
      inside,
      path,
      post({ spec: { user: "mallory", resourceAttributes } }),
    );
    expect(review.status.allowed).toBe(true); // an administrator here, where nothing is at that name
    expect(await statusOf(mallory, `/clusters/bank${maps}`)).toBe(403);
  });

  test("to some of all workspaces opens none of those paths", async () => {
    await grant(server.fetch, "olga", "reads-shop-across", content(["list", "watch", "access"], "shop"));
    await grant(server.fetch, "olga", "view");
    const olga = server.fetchAs({ name: "olga" });
    for (const path of [
      `/clusters/*${maps}`,
      `/clusters/*/api/v1/configmaps?watch=1`,
      "/clusters/*:team/api/v1/configmaps",
    ])
      expect([path, await statusOf(olga, path)]).toEqual([path, 403]);
  });

  test("to all of them ends a watch of them when it is taken away", async () => {
    await grant(server.fetch, "otto", "reads-across", content(["list", "watch"]));
    await grant(server.fetch, "otto", "view");
    const watch = await server.fetchAs({ name: "otto" })("/clusters/*/api/v1/configmaps?watch=1");
    expect(watch.status).toBe(200);
    await server.fetch(`${bindings}/otto-reads-across`, { method: "DELETE" });
    expect(await end(watch)).toBe("ended");
  });

  test("inside is written to what all workspaces begin with, and changes it for nobody else", async () => {
    const before = await stateOfBank(bank);
    for (const [path, init] of [
      [`${roles}/view`, { method: "DELETE" }],
      [`${roles}/edit`, merge({ rules: [], metadata: { labels: { evil: "1" } } })],
      [`${roles}/cluster-admin`, merge({ metadata: { annotations: { evil: "1" } } })],
      [`${bindings}/system:discovery`, merge({ subjects: [] })],
      ["/api/v1/namespaces/default", merge({ metadata: { labels: { evil: "1" } } })],
      [`${bindings}?labelSelector=evil=1`, { method: "DELETE" }],
      [roles, { method: "DELETE", headers: json, body: '{"dryRun":["All"]}' }],
    ] as const)
      expect([path, await statusOf(inside, path, init)]).toEqual([path, 200]);
    expect(await stateOfBank(bank)).toBe(before);
    const root = await read<{ metadata: { annotations?: object } }>(server.fetch, `${roles}/cluster-admin`);
    expect(JSON.stringify(root.metadata)).not.toContain("evil");
  });
});
