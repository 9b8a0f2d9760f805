import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ConfigMap, connect } from "../../kit/orch-client.ts";
import type { OrchServer, ServerWorkspace } from "../library/options.ts";
import { createServer } from "../library.ts";

type Fetch = OrchServer["fetch"];
/** Of the user root-admin. */
const adminRequest =
  "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIUU1IY0NBUUF3RlRFVE1CRUdBMVVFQXd3S2NtOXZkQzFoWkcxcGJqQlpNQk1HQnlxR1NNNDlBZ0VHQ0NxRwpTTTQ5QXdFSEEwSUFCSFdzNTN0cWgxUTV1ZUkzcDM1Wi94bk9WSVlMUkh6VzFoOXV2L2JnL1VoSzRTa3Q2TExjCmRkZkE5Q3E5ZGxOY25HSGpEQVFDY2JVK2JkWmE0ZTBGak9HZ0FEQUtCZ2dxaGtqT1BRUURBZ05KQURCR0FpRUEKOUxNN1lWb0V3bWpBY3Bpb0VBcjEwU2hEeDl0eS9pM21ZM3MrOCtQTi84NENJUURwM3pKejRlL3JsTVBtQXhxOApMcnRkVURvTFNlUTBuQ1htZUxkVXdGcUNQQT09Ci0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo=";
const json = { "content-type": "application/json" };
const post = (body: object): RequestInit => ({ method: "POST", headers: json, body: JSON.stringify(body) });
const map = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { a: "1" } });
const maps = "/api/v1/namespaces/default/configmaps";
const workspaces = "/apis/tenancy.orch.io/v1alpha1/workspaces";
const workspace = (name: string, spec: object = {}) => ({
  apiVersion: "tenancy.orch.io/v1alpha1",
  kind: "Workspace",
  metadata: { name },
  spec,
});
const definition = (group: string) => ({
  apiVersion: "apiextensions.orch.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `toys.${group}` },
  spec: {
    group,
    scope: "Namespaced",
    names: { plural: "toys", kind: "Toy" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
});

interface Listed {
  readonly items: readonly { readonly metadata: { readonly name: string; readonly uid: string } }[];
  readonly metadata: { readonly continue?: string; readonly resourceVersion: string };
}
const read = async <T>(answer: Response | Promise<Response>) => (await (await answer).json()) as T;
const names = async (fetch: Fetch, path: string) =>
  (await read<Listed>(fetch(path))).items.map(({ metadata }) => metadata.name);
const refusal = async (answer: Response) => [answer.status, (await read<{ message: string }>(answer)).message];

let server: OrchServer;
let shop: ServerWorkspace;
let bank: ServerWorkspace;
beforeAll(async () => {
  server = await createServer({ workspaces: true, authorization: "RBAC" });
  [shop, bank] = [await server.workspace("shop"), await server.workspace("bank")];
});
afterAll(() => server.close());

const group = "rbac.authorization.orch.io";
async function letIn(user: string, name: string): Promise<void> {
  const rules = [
    { apiGroups: ["tenancy.orch.io"], resources: ["workspaces/content"], verbs: ["access"], resourceNames: [name] },
  ];
  const role = { apiVersion: `${group}/v1`, kind: "ClusterRole", metadata: { name: `into-${name}-${user}` }, rules };
  await server.fetch(`/apis/${group}/v1/clusterroles`, post(role));
  await bind(server.fetch, user, role.metadata.name);
}
async function bind(fetch: Fetch, user: string, role: string): Promise<void> {
  const binding = {
    apiVersion: `${group}/v1`,
    kind: "ClusterRoleBinding",
    metadata: { name: `${user}-${role}` },
    subjects: [{ kind: "User", apiGroup: group, name: user }],
    roleRef: { apiGroup: group, kind: "ClusterRole", name: role },
  };
  expect((await fetch(`/apis/${group}/v1/clusterrolebindings`, post(binding))).status).toBe(201);
}

describe("a workspace", () => {
  test("has its own objects, and neither the root nor another workspace sees them", async () => {
    expect((await shop.fetch(maps, post(map("prices")))).status).toBe(201);
    expect((await bank.fetch(maps, post(map("accounts")))).status).toBe(201);
    expect(await names(shop.fetch, maps)).toContain("prices");
    expect(await names(bank.fetch, maps)).not.toContain("prices");
    expect(await names(server.fetch, maps)).not.toContain("prices");
    expect((await server.fetch("/clusters/root/api/v1/namespaces/default")).status).toBe(200);
    expect((await shop.fetch(workspaces)).status).toBe(404);
    expect(await names(server.fetch, workspaces)).toEqual(["bank", "shop"]);
  });

  test("is shown with its phase and its path", async () => {
    const shown = await read<{ status: object }>(server.fetch(`${workspaces}/shop`));
    expect(shown.status).toMatchObject({ phase: "Ready", url: "/clusters/shop" });
  });

  test("has its own controllers, namespaces and quotas", async () => {
    await shop.fetch("/api/v1/namespaces", post({ apiVersion: "v1", kind: "Namespace", metadata: { name: "team" } }));
    await shop.until("ServiceAccount", "team/default", () => true);
    await shop.fetch("/api/v1/namespaces/team/configmaps", post(map("one")));
    expect((await server.fetch("/api/v1/namespaces/team")).status).toBe(404);
    await shop.fetch("/api/v1/namespaces/team", { method: "DELETE" });
    await shop.untilGone("Namespace", "team");
    expect((await shop.fetch("/api/v1/namespaces/team/configmaps/one")).status).toBe(404);
  });

  test("defines resources that only it has", async () => {
    const path = "/apis/toys.example.com/v1/namespaces/default/toys";
    await shop.fetch("/apis/apiextensions.orch.io/v1/customresourcedefinitions", post(definition("toys.example.com")));
    await expect.poll(async () => (await shop.fetch(path)).status).toBe(200);
    const toy = { apiVersion: "toys.example.com/v1", kind: "Toy", metadata: { name: "train" } };
    expect((await shop.fetch(path, post(toy))).status).toBe(201);
    expect((await bank.fetch(path)).status).toBe(404);
    expect((await server.fetch(path)).status).toBe(404);
    expect(await names(shop.fetch, path)).toEqual(["train"]);
  });

  test("takes typed clients", async () => {
    const client = (await connect({ server: shop })).of(ConfigMap);
    const { metadata } = await client.create({ metadata: { name: "typed" }, data: { a: "1" } });
    expect((await client.get("typed"))?.metadata.uid).toBe(metadata.uid);
  });

  test("watches only its own objects, and a write elsewhere does not wake it", async () => {
    const { metadata } = await read<Listed>(shop.fetch(maps));
    const stop = new AbortController();
    const answer = await shop.fetch(`${maps}?watch=1&resourceVersion=${metadata.resourceVersion}`, {
      signal: stop.signal,
    });
    const reader = answer.body!.getReader();
    await bank.fetch(maps, post(map("elsewhere")));
    await server.fetch(maps, post(map("elsewhere")));
    await shop.fetch(maps, post(map("here")));
    const { value } = await reader.read();
    expect(JSON.parse(Buffer.from(value!).toString())).toMatchObject({
      type: "ADDED",
      object: { metadata: { name: "here" } },
    });
    stop.abort();
  });

  test("does not take a continue token of another one", async () => {
    for (const { fetch } of [shop, bank]) for (const name of ["c1", "c2", "c3"]) await fetch(maps, post(map(name)));
    const { metadata } = await read<Listed>(shop.fetch(`${maps}?limit=1`));
    const token = encodeURIComponent(metadata.continue ?? "");
    expect((await shop.fetch(`${maps}?limit=1&continue=${token}`)).status).toBe(200);
    expect((await bank.fetch(`${maps}?limit=1&continue=${token}`)).status).toBe(400);
    expect((await server.fetch(`${maps}?limit=1&continue=${token}`)).status).toBe(400);
  });

  test("does not collect what names an owner in another one", async () => {
    const owner = await read<{ metadata: { uid: string } }>(bank.fetch(maps, post(map("owner"))));
    const owned = {
      ...map("owned"),
      metadata: {
        name: "owned",
        ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: owner.metadata.uid }],
      },
    };
    await shop.fetch(maps, post(owned));
    await shop.untilGone("ConfigMap", "owned"); // its owner does not exist here
    expect((await bank.fetch(`${maps}/owner`)).status).toBe(200);
  });
});

describe("who may enter", () => {
  test("is said by the root, and the answer to others is the same whether the workspace exists or not", async () => {
    const eve = server.fetchAs({ name: "eve" });
    const [exists, none] = [await eve(`/clusters/shop${maps}`), await eve(`/clusters/shut${maps}`)];
    const told = [await refusal(exists), await refusal(none)];
    expect(told[0]?.[0]).toBe(403);
    expect(String(told[0]?.[1]).replaceAll("shop", "shut")).toBe(told[1]?.[1]);
    const headers = ({ headers }: Response) => [...headers].filter(([name]) => !/audit|date|length/.test(name));
    expect(headers(exists)).toEqual(headers(none));
  });

  test("has inside the rights that the workspace gives", async () => {
    await letIn("ann", "shop");
    const ann = server.fetchAs({ name: "ann" });
    expect((await refusal(await ann(`/clusters/shop${maps}`)))[1]).toContain(
      'User "ann" cannot list resource "configmaps"',
    );
    await bind(shop.fetch, "ann", "view");
    expect((await ann(`/clusters/shop${maps}`)).status).toBe(200);
    expect((await ann(`/clusters/bank${maps}`)).status).toBe(403);
    expect((await ann(maps)).status).toBe(403);
    expect((await ann(`/clusters/shop${maps}`, post(map("no")))).status).toBe(403);
  });

  test("cannot give a workspace the base of another one", async () => {
    const rules = [{ apiGroups: ["tenancy.orch.io"], resources: ["*"], verbs: ["create", "update", "patch", "get"] }];
    const role = { apiVersion: `${group}/v1`, kind: "ClusterRole", metadata: { name: "edits-status" }, rules };
    await server.fetch(`/apis/${group}/v1/clusterroles`, post(role));
    await bind(server.fetch, "tim", "edits-status");
    const tim = server.fetchAs({ name: "tim" });
    const change = {
      method: "PATCH",
      headers: { "content-type": "application/merge-patch+json" },
      body: JSON.stringify({ status: { base: "another" } }),
    };
    expect((await tim(`${workspaces}/shop/status`, change)).status).toBe(422);
  });

  test("who created a workspace administers it, once the root lets them in", async () => {
    await bind(server.fetch, "bob", "cluster-admin");
    const bob = server.fetchAs({ name: "bob" });
    expect((await bob(workspaces, post(workspace("bobs")))).status).toBe(201);
    await server.until(
      "Workspace",
      "bobs",
      (object) => (object as { status?: { phase?: string } }).status?.phase === "Ready",
    );
    expect((await bob(`/clusters/bobs${maps}`, post(map("mine")))).status).toBe(201);
    const owner = { metadata: { annotations: { "tenancy.orch.io/owner": '{"name":"eve"}' } } };
    const change = {
      method: "PATCH",
      headers: { "content-type": "application/merge-patch+json" },
      body: JSON.stringify(owner),
    };
    expect((await bob(`${workspaces}/bobs`, change)).status).toBe(422);
  });

  test("an anonymous request is refused as at any path that needs a right", async () => {
    const anonymous = server.handler();
    const ask = (path: string) => anonymous(new Request(`http://host${path}`));
    const [exists, none] = [await ask("/clusters/shop/api"), await ask("/clusters/none/api")];
    expect([exists.status, none.status]).toEqual([403, 403]);
  });
});

describe("a service account of a workspace", () => {
  const tokenOf = async (fetch: Fetch, name: string) => {
    await fetch(
      "/api/v1/namespaces/default/serviceaccounts",
      post({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name } }),
    );
    const request = { apiVersion: "authentication.orch.io/v1", kind: "TokenRequest", spec: {} };
    const path = `/api/v1/namespaces/default/serviceaccounts/${name}/token`;
    return (await read<{ status: { token: string } }>(fetch(path, post(request)))).status.token;
  };
  const asks = (token: string) => {
    const anyone = server.handler();
    const headers = { authorization: `Bearer ${token}` };
    return async (path: string, init: RequestInit = {}) =>
      (await anyone(new Request(`http://host${path}`, { ...init, headers: { ...headers, ...json } }))).status;
  };

  test("has a token that is taken there, and nowhere else", async () => {
    await bank.fetch(
      "/api/v1/namespaces/default/serviceaccounts",
      post({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "robot" } }),
    );
    await server.fetch(
      "/api/v1/namespaces/default/serviceaccounts",
      post({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "robot" } }),
    );
    const ask = asks(await tokenOf(shop.fetch, "robot"));
    expect(await ask(`/clusters/shop${maps}`)).toBe(403); // known, without rights
    await bind(shop.fetch, "system:serviceaccount:default:robot", "view");
    expect(await ask(`/clusters/shop${maps}`)).toBe(200);
    expect(await ask(`/clusters/bank${maps}`)).toBe(401);
    expect(await ask(`/clusters/none${maps}`)).toBe(401);
    expect(await ask(maps)).toBe(401);
    expect(await ask(`/clusters/root${maps}`)).toBe(401);
  });

  test("has an issuer of its own, so that nobody who only looks at a token takes it for one of the root", async () => {
    const issuerOf = (token: string) =>
      (JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()) as { iss: string }).iss;
    const at = (fetch: OrchServer["fetch"]) =>
      read<{ issuer: string; jwks_uri: string }>(fetch("/.well-known/openid-configuration"));
    const root = await at(server.fetch);
    const inside = await at(shop.fetch);
    expect(issuerOf(await tokenOf(server.fetch, "signed"))).toBe(root.issuer);
    expect(issuerOf(await tokenOf(shop.fetch, "signed"))).toBe(`${root.issuer}/clusters/shop`);
    expect(inside.issuer).toBe(`${root.issuer}/clusters/shop`);
    expect(new URL(inside.jwks_uri).pathname).toBe("/clusters/shop/openid/v1/jwks");
  });

  test("is not the root's account of the same name", async () => {
    const token = await tokenOf(server.fetch, "machine");
    await shop.fetch(
      "/api/v1/namespaces/default/serviceaccounts",
      post({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "machine" } }),
    );
    await bind(shop.fetch, "system:serviceaccount:default:machine", "view");
    await letIn("system:serviceaccount:default:machine", "shop");
    const answer = await server.handler()(
      new Request(`http://host/clusters/shop${maps}`, { headers: { authorization: `Bearer ${token}` } }),
    );
    expect((await refusal(answer))[1]).toContain('User "root:system:serviceaccount:default:machine" cannot');
  });

  test("cannot become somebody of the root by a certificate that the workspace approves", async () => {
    const path = "/apis/certificates.orch.io/v1/certificatesigningrequests";
    const request = {
      apiVersion: "certificates.orch.io/v1",
      kind: "CertificateSigningRequest",
      metadata: { name: "wanted" },
      spec: { request: adminRequest, signerName: "orch.io/orch-apiserver-client", usages: ["client auth"] },
    };
    const created = await read<{ status: object }>(shop.fetch(path, post(request)));
    const approved = { type: "Approved", status: "True", reason: "Mine", message: "" };
    const body = JSON.stringify({ ...created, status: { conditions: [approved] } });
    expect((await shop.fetch(`${path}/wanted/approval`, { method: "PUT", headers: json, body })).status).toBe(200);
    await shop.settled();
    const { status } = await read<{ status: { certificate?: string } }>(shop.fetch(`${path}/wanted`));
    expect(status.certificate).toBeUndefined();
  });
});

describe("the names of workspaces", () => {
  const cases = [
    { name: "root", why: "is reserved" },
    { name: "system-one", why: "is reserved" },
    { name: "Shop", why: "lower case" },
    { name: "a.b", why: "lower-case letters, digits and dashes" },
    { name: "x".repeat(64), why: "at most 63" },
    { name: "shop", why: "already exists" },
  ];
  for (const { name, why } of cases)
    test(`"${name.slice(0, 20)}" ${why}`, async () => {
      const [code, message] = await refusal(await server.fetch(workspaces, post(workspace(name))));
      expect([code === 422 || code === 409, message]).toEqual([true, expect.stringContaining(why)]);
    });

  test("a type that does not exist is refused", async () => {
    expect(await refusal(await server.fetch(workspaces, post(workspace("typed", { type: "none" }))))).toEqual([
      422,
      expect.stringContaining("spec.type"),
    ]);
  });

  test("paths that only look like those of a workspace are the root's", async () => {
    for (const path of ["/clusters/", "/clusters/Shop/api", "/clusters/shop%2fapi", "/clusters//api"])
      expect((await server.fetch(path)).status, path).toBe(404);
    expect((await server.fetch("/clusters/..%2fshop/api")).status).toBe(400);
    expect((await server.fetch("/clusters/none/api")).status).toBe(404);
    expect((await server.fetch("/clusters/shop/../bank/api")).status).toBe(404);
    expect((await server.fetch("/clusters/shop/clusters/bank/api")).status).toBe(404);
  });
});
