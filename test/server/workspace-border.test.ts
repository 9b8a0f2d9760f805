/** What a workspace, or somebody in it, must not get of another one, or of the root. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { createServer, type OrchServer } from "../../src/main/library.ts";

type Fetch = OrchServer["fetch"];
const json = { "content-type": "application/json" };
const post = (body: object): RequestInit => ({ method: "POST", headers: json, body: JSON.stringify(body) });
const group = "rbac.authorization.orch.io";
const maps = "/api/v1/namespaces/default/configmaps";
const tenancy = "/apis/tenancy.orch.io/v1alpha1";
const map = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });

let server: OrchServer;
let shop: Fetch;
let bank: Fetch;
beforeAll(async () => {
  server = await createServer({ workspaces: true, authorization: "RBAC" });
  [shop, bank] = [(await server.workspace("shop")).fetch, (await server.workspace("bank")).fetch];
});
afterAll(() => server.close());

async function send(fetch: Fetch, path: string, body: object): Promise<void> {
  const answer = await fetch(path, post(body));
  expect([answer.status, answer.status === 201 ? "" : await answer.text()]).toEqual([201, ""]);
}
async function grant(fetch: Fetch, user: string, name: string, rules: readonly object[]): Promise<void> {
  const roleRef = { apiGroup: group, kind: "ClusterRole", name };
  await send(fetch, `/apis/${group}/v1/clusterroles`, { metadata: { name }, rules });
  await send(fetch, `/apis/${group}/v1/clusterrolebindings`, {
    metadata: { name },
    roleRef,
    subjects: [{ kind: "User", apiGroup: group, name: user }],
  });
}
const reads = [{ apiGroups: [""], resources: ["*"], verbs: ["get", "list", "watch"] }];
const enters = (name: string) => [
  { apiGroups: ["tenancy.orch.io"], resources: ["workspaces/content"], verbs: ["access"], resourceNames: [name] },
];

/** Resolves when the answer ends. */
async function end(answer: Response): Promise<"ended"> {
  const reader = answer.body!.getReader();
  while (!(await reader.read()).done);
  return "ended";
}

test("a watch inside ends when the root no longer lets its user in", async () => {
  await grant(server.fetch, "ann", "ann-into-shop", enters("shop"));
  await grant(shop, "ann", "ann-reads", reads);
  const watch = await server.fetchAs({ name: "ann" })(`/clusters/shop${maps}?watch=1`);
  expect(watch.status).toBe(200);
  const ended = end(watch);
  await server.fetch(`/apis/${group}/v1/clusterrolebindings/ann-into-shop`, { method: "DELETE" });
  expect(await ended).toBe("ended");
});

test("a watch inside ends when the account of its token is deleted", async () => {
  const accounts = "/api/v1/namespaces/default/serviceaccounts";
  await send(shop, accounts, { metadata: { name: "robot" } });
  await grant(shop, "system:serviceaccount:default:robot", "robot-reads", reads);
  const asked = await shop(
    `${accounts}/robot/token`,
    post({ apiVersion: "authentication.orch.io/v1", kind: "TokenRequest", spec: {} }),
  );
  const { status } = (await asked.json()) as { status: { token: string } };
  const headers = { authorization: `Bearer ${status.token}` };
  const watch = await server.handler()(new Request(`http://host/clusters/shop${maps}?watch=1`, { headers }));
  expect(watch.status).toBe(200);
  const ended = end(watch);
  await shop(`${accounts}/robot`, { method: "DELETE" });
  expect(await ended).toBe("ended");
});

test("who may make types and workspaces gets no copy of one that they may not enter", async () => {
  await send(bank, "/api/v1/namespaces/default/secrets", { metadata: { name: "vault" }, stringData: { code: "1234" } });
  const may = [
    { apiGroups: ["tenancy.orch.io"], resources: ["workspaces", "workspacetypes"], verbs: ["create", "get"] },
  ];
  await grant(server.fetch, "eve", "eve-makes", [...may, ...enters("copy")]);
  const eve = server.fetchAs({ name: "eve" });
  const type = {
    apiVersion: "tenancy.orch.io/v1alpha1",
    kind: "WorkspaceType",
    metadata: { name: "like-bank" },
    spec: { from: "bank" },
  };
  expect((await eve(`${tenancy}/workspacetypes`, post(type))).status).toBe(403);
});

test("nothing of the server is served inside", async () => {
  for (const path of [
    "/forks",
    "/journal",
    "/debug/pprof/",
    "/clusters/bank/api",
    `${tenancy}/workspaces`,
    "/apis/history.orch.io/v1alpha1/changes",
  ])
    expect([path, (await shop(path)).status]).toEqual([path, 404]);
  await send(bank, maps, map("plan-of-bank"));
  expect(await (await shop("/backup")).text()).not.toContain("plan-of-bank");
  const metrics = await (await shop("/metrics")).text();
  expect(metrics).not.toContain("bank");
});

test("a workspace opens no connection to what its objects name as nodes, pods and services", async () => {
  const address = "192.0.2.1";
  await send(shop, "/api/v1/nodes", {
    metadata: { name: "made-up" },
    status: { addresses: [{ type: "InternalIP", address }], daemonEndpoints: { kubeletEndpoint: { Port: 443 } } },
  });
  await send(shop, "/api/v1/namespaces/default/pods", {
    metadata: { name: "p" },
    spec: { nodeName: "made-up", containers: [{ name: "c", image: "i" }] },
  });
  await shop("/api/v1/namespaces/default/pods/p/status", {
    method: "PATCH",
    headers: { "content-type": "application/merge-patch+json" },
    body: JSON.stringify({ status: { podIP: address, podIPs: [{ ip: address }] } }),
  });
  for (const path of [
    "/api/v1/nodes/made-up:443/proxy/",
    "/api/v1/namespaces/default/pods/p:80/proxy/",
    "/api/v1/namespaces/default/pods/p/log",
  ]) {
    const answer = await shop(path);
    expect([path, [400, 403, 404].includes(answer.status), await answer.text()]).toEqual([
      path,
      true,
      expect.any(String),
    ]);
  }
});

test.each(["/clusters/shop", "/clusters/none", "/clusters/*"])(
  "a wrong token is refused as at the root: %s",
  async (path) => {
    const headers = { authorization: "Bearer wrong" };
    const answer = await server.handler()(new Request(`http://host${path}/api/v1/namespaces`, { headers }));
    const { message } = (await answer.json()) as { message: string };
    expect([answer.status, message]).toEqual([401, "Unauthorized"]);
  },
);

test("an object of another one is not found by its resourceVersion, its uid or its key", async () => {
  await send(bank, maps, map("secret-plan"));
  for (const name of ["..%2f..%2fbank", "%2e%2e", "secret-plan", "secret-plan%00"])
    expect([name, [400, 404].includes((await shop(`${maps}/${name}`)).status)]).toEqual([name, true]);
  const { metadata } = (await (await bank(maps)).json()) as { metadata: { resourceVersion: string } };
  const past = await shop(`${maps}?resourceVersion=${metadata.resourceVersion}&resourceVersionMatch=Exact`);
  expect(await past.text()).not.toContain("secret-plan");
});
