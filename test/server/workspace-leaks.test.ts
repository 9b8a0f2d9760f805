/** Every way that leads from one workspace to another: whoever administers one learns nothing of the other, nor acts there. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { createServer, type OrchServer } from "../../src/main/library.ts";

type Fetch = OrchServer["fetch"];
const json = { "content-type": "application/json" };
const post = (body: object): RequestInit => ({ method: "POST", headers: json, body: JSON.stringify(body) });
const rbac = "rbac.authorization.orch.io";
const maps = "/api/v1/namespaces/default/configmaps";
const secrets = "/api/v1/namespaces/default/secrets";
const accounts = "/api/v1/namespaces/default/serviceaccounts";
const definitions = "/apis/apiextensions.orch.io/v1/customresourcedefinitions";

/** In names, values, labels and groups of what only the bank has. */
const mark = "vault";
const definition = {
  metadata: { name: `${mark}s.bank.example.com` },
  spec: {
    group: "bank.example.com",
    scope: "Namespaced",
    names: { plural: `${mark}s`, kind: "Vault" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
};

let server: OrchServer;
let shop: Fetch;
let bank: Fetch;
/** Administers the shop, and has no right anywhere else. */
let mallory: Fetch;
const inside = (fetch: Fetch, path: string, init?: RequestInit) => fetch(`/clusters/shop${path}`, init);

async function send(fetch: Fetch, path: string, body: object): Promise<{ status: { token: string } }> {
  const answer = await fetch(path, post(body));
  const said = (await answer.json()) as { message?: string; status: { token: string } };
  expect([path, answer.status, answer.status === 201 ? undefined : said.message]).toEqual([path, 201, undefined]);
  return said;
}
async function grant(fetch: Fetch, user: string, name: string, rules?: readonly object[]): Promise<void> {
  if (rules) await send(fetch, `/apis/${rbac}/v1/clusterroles`, { metadata: { name }, rules });
  await send(fetch, `/apis/${rbac}/v1/clusterrolebindings`, {
    metadata: { name: `${user}-${name}` },
    roleRef: { apiGroup: rbac, kind: "ClusterRole", name },
    subjects: [{ kind: "User", apiGroup: rbac, name: user }],
  });
}
const enters = [
  { apiGroups: ["tenancy.orch.io"], resources: ["workspaces/content"], verbs: ["access"], resourceNames: ["shop"] },
];
const tokenOf = async (fetch: Fetch, name: string) => {
  await send(fetch, accounts, { metadata: { name } });
  const request = { apiVersion: "authentication.orch.io/v1", kind: "TokenRequest", spec: {} };
  return (await send(fetch, `${accounts}/${name}/token`, request)).status.token;
};

beforeAll(async () => {
  server = await createServer({ workspaces: true, authorization: "RBAC", history: "1h", emulatedVersion: "1.35" });
  [shop, bank] = [(await server.workspace("shop")).fetch, (await server.workspace("bank")).fetch];
  mallory = server.fetchAs({ name: "mallory" });
  await grant(server.fetch, "mallory", "enter-shop", enters);
  await grant(shop, "mallory", "cluster-admin");
  await send(bank, definitions, definition);
  while ((await bank(`/apis/bank.example.com/v1/${mark}s`)).status !== 200)
    await new Promise((done) => setTimeout(done, 20));
  await send(bank, maps, { metadata: { name: `${mark}-plan`, labels: { mark } }, data: { where: mark } });
  await send(bank, secrets, { metadata: { name: `${mark}-code` }, stringData: { code: mark } });
  await send(bank, "/api/v1/namespaces", { metadata: { name: `${mark}-space` } });
  await send(bank, "/api/v1/namespaces/default/events", {
    metadata: { name: `${mark}-opened` },
    involvedObject: { kind: "ConfigMap", namespace: "default", name: `${mark}-plan` },
    reason: mark,
    message: mark,
  });
});
afterAll(() => server.close());

test.each([
  "/api/v1/configmaps",
  "/api/v1/secrets",
  "/api/v1/events",
  "/api/v1/namespaces",
  "/apis/events.orch.io/v1/events",
  `${maps}?labelSelector=mark=${mark}`,
  `${maps}?resourceVersion=0`,
  `${maps}?limit=500&resourceVersion=0&resourceVersionMatch=NotOlderThan`,
  definitions,
  "/apis",
  "/apis/bank.example.com",
  "/apis/bank.example.com/v1",
  `/apis/bank.example.com/v1/namespaces/default/${mark}s`,
  "/openapi/v2",
  "/openapi/v3",
  "/openapi/v3/apis/bank.example.com/v1",
  "/metrics",
  "/metrics/slis",
  "/apis/apiregistration.orch.io/v1/apiservices",
  "/apis/coordination.orch.io/v1/leases",
  "/apis/history.orch.io/v1alpha1/changes",
  "/apis/tenancy.orch.io/v1alpha1/workspaces",
  `${maps}?atTime=${new Date(Date.now() - 1_000).toISOString()}`,
  "/debug/api_priority_and_fairness/dump_requests",
  "/debug/api_priority_and_fairness/dump_queues",
  "/configz",
  "/statusz",
  "/flagz",
  "/logs",
  "/backup",
  "/livez?verbose",
  "/readyz?verbose",
])("nothing of the other one is at %s", async (path) => {
  const answer = await inside(mallory, path);
  const text = Buffer.from(await answer.arrayBuffer()).toString("latin1");
  // A path that is refused is named in the refusal.
  expect([path, text.replaceAll(path, "").includes("bank"), /vault(?!s)/.test(text)]).toEqual([path, false, false]);
  if (path.includes("bank.example.com")) expect(answer.status).toBe(404);
});

test("nothing of the other one is in aggregated discovery", async () => {
  const accept = "application/json;g=apidiscovery.orch.io;v=v2;as=APIGroupDiscoveryList";
  const text = await (await inside(mallory, "/apis", { headers: { accept } })).text();
  expect(text).toContain("apiextensions");
  expect(text).not.toContain("bank");
});

test("a watch of everything gets what is written here, and nothing that is written there", async () => {
  const stop = new AbortController();
  const paths = ["/api/v1/configmaps", "/api/v1/secrets", "/api/v1/events", definitions, "/api/v1/namespaces"];
  const watches = paths.map(async (path) => {
    const answer = await inside(mallory, `${path}?watch=1&allowWatchBookmarks=true`, { signal: stop.signal });
    let text = "";
    try {
      for await (const chunk of answer.body!) text += Buffer.from(chunk as Uint8Array).toString();
    } catch {
      // it was left
    }
    return text;
  });
  await send(bank, maps, { metadata: { name: `${mark}-later` } });
  await send(bank, secrets, { metadata: { name: `${mark}-later` } });
  await bank(`${definitions}/${mark}s.bank.example.com`, {
    method: "PATCH",
    headers: { "content-type": "application/merge-patch+json" },
    body: JSON.stringify({ metadata: { labels: { mark } } }),
  });
  await send(shop, maps, { metadata: { name: "here" } });
  await new Promise((done) => setTimeout(done, 200));
  stop.abort();
  const told = (await Promise.all(watches)).join("");
  expect(told).toContain('"here"');
  expect(told).not.toContain(mark);
});

test("who is everything inside cannot leave: by impersonating, nor in a transaction, nor by a path", async () => {
  const as = { "impersonate-user": "root", "impersonate-group": "system:masters" };
  const ask = async (path: string) => (await mallory(path, { headers: as })).status;
  expect(await ask(`/clusters/shop${maps}`)).toBe(200);
  expect(await ask(`/clusters/bank${maps}`)).toBe(403);
  expect(await ask(`/clusters/*${maps}`)).toBe(403);
  expect(await ask(`/clusters/%2A${maps}`)).toBe(403);
  expect(await ask(maps)).toBe(403);
  expect(await ask(`/clusters/root${maps}`)).toBe(403);
  expect(await ask(`/clusters/shop/../bank${maps}`)).toBe(404);
  for (const path of [
    `/clusters/shop/clusters/bank${maps}`,
    `/clusters/shop/%2e%2e/bank${maps}`,
    `/clusters/shop//clusters/bank${maps}`,
  ])
    expect([path, [400, 404].includes(await ask(path))]).toEqual([path, true]);
  const spec = {
    operations: [
      {
        operation: "create",
        object: { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace: "default", name: "both" } },
      },
      {
        operation: "expect",
        object: { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace: "default", name: `${mark}-plan` } },
      },
    ],
  };
  const transaction = { apiVersion: "batch.orch.io/v1alpha1", kind: "Transaction", spec };
  const answer = await inside(mallory, "/apis/batch.orch.io/v1alpha1/transactions", post(transaction));
  expect([409, 404]).toContain(answer.status);
  expect((await shop(`${maps}/both`)).status).toBe(404);
});

test("a token of the other one is nobody's: in a request, in a review, and in what a token is asked for", async () => {
  const token = await tokenOf(bank, "teller");
  await send(shop, accounts, { metadata: { name: "teller" } });
  const review = async (fetch: Fetch) => {
    const path = "/apis/authentication.orch.io/v1/tokenreviews";
    const answer = await fetch(path, post({ spec: { token } }));
    return ((await answer.json()) as { status: { authenticated?: boolean } }).status.authenticated ?? false;
  };
  expect([await review(bank), await review(shop), await review(server.fetch)]).toEqual([true, false, false]);
  const anyone = server.handler();
  const ask = async (path: string, headers: Record<string, string>) =>
    (await anyone(new Request(`http://host${path}`, { headers }))).status;
  const bearer = { authorization: `Bearer ${token}` };
  expect(await ask(`/clusters/bank${maps}`, bearer)).toBe(403); // known, without rights
  for (const path of [`/clusters/shop${maps}`, `/clusters/*${maps}`, `/clusters/*:team${maps}`, maps])
    expect([path, await ask(path, bearer)]).toEqual([path, 401]);
});

test("what an account of the other one may do is not known here, and the root asks for its own roles", async () => {
  const path = "/apis/authorization.orch.io/v1/subjectaccessreviews";
  const resourceAttributes = { verb: "get", resource: "configmaps", namespace: "default" };
  const may = async (fetch: Fetch, user: string) => {
    const answer = await fetch(path, post({ spec: { user, resourceAttributes } }));
    return ((await answer.json()) as { status: { allowed: boolean } }).status.allowed;
  };
  const user = "system:serviceaccount:default:clerk";
  await grant(bank, user, "view");
  expect([await may(bank, user), await may(shop, user), await may(server.fetch, user)]).toEqual([true, false, false]);
});

test("an uid, a resourceVersion and a manager of the other one change nothing here", async () => {
  const plan = (await (await bank(`${maps}/${mark}-plan`)).json()) as {
    metadata: { uid: string; resourceVersion: string };
  };
  const { uid, resourceVersion } = plan.metadata;
  const merge = { "content-type": "application/merge-patch+json" };
  const apply = { "content-type": "application/apply-patch+yaml" };
  await send(shop, maps, { metadata: { name: `${mark}-plan` }, data: { mine: "1" } });
  const put = {
    method: "PUT",
    headers: json,
    body: JSON.stringify({ metadata: { name: `${mark}-plan`, uid, resourceVersion } }),
  };
  expect((await inside(mallory, `${maps}/${mark}-plan`, put)).status).toBe(409);
  const remove = { method: "DELETE", headers: json, body: JSON.stringify({ preconditions: { uid } }) };
  expect((await inside(mallory, `${maps}/${mark}-plan`, remove)).status).toBe(409);
  const body = JSON.stringify({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: `${mark}-plan` },
    data: { where: "x" },
  });
  const applied = await inside(mallory, `${maps}/${mark}-plan?fieldManager=orch-test&force=true`, {
    method: "PATCH",
    headers: apply,
    body,
  });
  expect(applied.status).toBe(200);
  const change = {
    method: "PATCH",
    headers: merge,
    body: JSON.stringify({ metadata: { resourceVersion }, data: { where: "x" } }),
  };
  expect((await inside(mallory, `${maps}/${mark}-plan`, change)).status).toBe(409);
  expect(await (await bank(`${maps}/${mark}-plan`)).json()).toEqual(plan);
  await shop(`${maps}/${mark}-plan`, { method: "DELETE" });
});

test("the root's history, journal and metrics tell nobody else what is in a workspace", async () => {
  const changes = await server.fetch("/apis/history.orch.io/v1alpha1/changes");
  expect(changes.status).toBe(200);
  expect(await changes.text()).not.toContain(mark);
  const metrics = await (await server.fetch("/metrics")).text();
  expect(metrics).not.toContain(mark);
  expect(await (await server.fetch("/openapi/v2")).text()).not.toContain("bank.example.com");
  expect(await (await server.fetch("/apis")).text()).not.toContain("bank.example.com");
});
