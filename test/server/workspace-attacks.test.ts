/** Attempts of somebody who administers one workspace to learn of, act in, or disturb another one: each is a line, with what it must give. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ServerWorkspace } from "../../src/main/library/options.ts";
import { createServer, type OrchServer } from "../../src/main/library.ts";

type Fetch = OrchServer["fetch"];
const json = { "content-type": "application/json" };
const sent = (method: string, body: object, type = "application/json"): RequestInit => ({
  method,
  headers: { "content-type": type },
  body: JSON.stringify(body),
});
const post = (body: object) => sent("POST", body);
const merge = (body: object) => sent("PATCH", body, "application/merge-patch+json");
const apply = (body: object) => sent("PATCH", body, "application/apply-patch+yaml");
const rbac = "rbac.authorization.orch.io";
const roles = `/apis/${rbac}/v1/clusterroles`;
const bindings = `/apis/${rbac}/v1/clusterrolebindings`;
const core = "/api/v1/namespaces/default";
const [maps, secrets, accounts] = [`${core}/configmaps`, `${core}/secrets`, `${core}/serviceaccounts`];
const definitions = "/apis/apiextensions.orch.io/v1/customresourcedefinitions";
const tenancy = "/apis/tenancy.orch.io/v1alpha1";
const aggregated = "application/json;g=apidiscovery.orch.io;v=v2;as=APIGroupDiscoveryList";

/** In everything that only the bank has. */
const mark = "vault";
const definition = (group: string, kind: string, version = "v1") => ({
  apiVersion: "apiextensions.orch.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `${kind.toLowerCase()}s.${group}` },
  spec: {
    group,
    scope: "Cluster",
    names: { plural: `${kind.toLowerCase()}s`, kind },
    versions: [{ name: version, served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
});

let server: OrchServer;
let shop: ServerWorkspace;
let bank: ServerWorkspace;
/** Administers the shop, and has no right anywhere else. */
let mallory: Fetch;
/** With the credentials that a request has itself. */
let anyone: (path: string, init?: RequestInit) => Promise<Response>;
const inside: Fetch = (path, init) => mallory(`/clusters/shop${path as string}`, init);
const ask = async (fetch: Fetch, path: string, init?: RequestInit) => {
  const answer = await fetch(path, init);
  const text = Buffer.from(await answer.arrayBuffer()).toString("latin1");
  // What mallory has sent, as the name of a path or of an owner, is no news.
  const told = text.replaceAll(path, "").replace(/"ownerReferences":\[[^\]]*\]/g, "");
  expect([path, /vault(?!s)/.test(told)]).toEqual([path, false]);
  return { status: answer.status, text, headers: answer.headers };
};
const statusOf = async (fetch: Fetch, path: string, init?: RequestInit) => (await ask(fetch, path, init)).status;
const read = async <T>(fetch: Fetch, path: string, init?: RequestInit) => (await (await fetch(path, init)).json()) as T;
async function send(fetch: Fetch, path: string, body: object): Promise<void> {
  const answer = await fetch(path, post(body));
  expect([path, answer.status, answer.status === 201 ? "" : await answer.text()]).toEqual([path, 201, ""]);
}
async function grant(fetch: Fetch, user: string, name: string, rules?: readonly object[]): Promise<void> {
  if (rules) await send(fetch, roles, { metadata: { name }, rules });
  const subjects = [{ kind: "User", apiGroup: rbac, name: user }];
  const roleRef = { apiGroup: rbac, kind: "ClusterRole", name };
  await send(fetch, bindings, { metadata: { name: `${user.replaceAll(":", "-")}-${name}` }, roleRef, subjects });
}
const content = (verbs: readonly string[], ...resourceNames: readonly string[]) => [
  {
    apiGroups: ["tenancy.orch.io"],
    resources: ["workspaces/content"],
    verbs,
    ...(resourceNames[0] && { resourceNames }),
  },
];
const tokenRequest = post({ spec: {} });
async function tokenOf(fetch: Fetch, name: string): Promise<string> {
  await fetch(accounts, post({ metadata: { name } }));
  return (await read<{ status: { token: string } }>(fetch, `${accounts}/${name}/token`, tokenRequest)).status.token;
}
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
/** All that the bank holds, as its administrator reads it. */
async function stateOfBank(): Promise<string> {
  const paths = ["/api/v1/configmaps", "/api/v1/secrets", "/api/v1/serviceaccounts", "/api/v1/namespaces", definitions];
  const answers = [...paths, roles, bindings, "/apis"].map(async (path) => (await bank.fetch(path)).text());
  return (await Promise.all(answers)).join("\n").replace(/"resourceVersion":"\d+"\},"items/g, "");
}
/** Resolves when the answer ends. */
const end = (answer: Response) => answer.body!.pipeTo(new WritableStream()).then(() => "ended");

beforeAll(async () => {
  server = await createServer({ workspaces: true, authorization: "RBAC", history: "1h", emulatedVersion: "1.35" });
  [shop, bank] = [await server.workspace("shop"), await server.workspace("bank")];
  mallory = server.fetchAs({ name: "mallory" });
  const handler = server.handler();
  anyone = (path, init) => handler(new Request(`http://host${path}`, init));
  await grant(server.fetch, "mallory", "enter-shop", content(["access"], "shop"));
  await grant(shop.fetch, "mallory", "cluster-admin");
  await send(bank.fetch, definitions, definition("bank.example.com", "Vault"));
  await send(bank.fetch, maps, { metadata: { name: `${mark}-plan` }, data: { where: mark } });
  await send(bank.fetch, secrets, { metadata: { name: `${mark}-code` }, stringData: { code: mark } });
});
afterAll(() => server.close());

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
    const before = await stateOfBank();
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
    expect(await stateOfBank()).toBe(before);
    const root = await read<{ metadata: { annotations?: object } }>(server.fetch, `${roles}/cluster-admin`);
    expect(JSON.stringify(root.metadata)).not.toContain("evil");
  });
});

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
    await shop.untilGone("ConfigMap", "claims");
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

  test("in the past of the server is not given inside, and that of a workspace not outside", async () => {
    const time = new Date().toISOString();
    for (const path of [
      `${maps}?atTime=${time}`,
      `${maps}/${mark}-plan?atTime=${time}`,
      "/apis/history.orch.io/v1alpha1/changes",
    ])
      expect(await statusOf(inside, path)).toBeGreaterThanOrEqual(400);
    for (const path of ["/apis/history.orch.io/v1alpha1/changes?limit=500", `/api/v1/configmaps?atTime=${time}`])
      await ask(server.fetch, path);
  });
});

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
