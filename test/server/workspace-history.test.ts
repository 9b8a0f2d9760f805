/** The history of a server with workspaces: each workspace has that of its own objects, and nobody has that of another one. */

import { afterAll, beforeAll, expect, test } from "vitest";
import type { ServerWorkspace } from "../../src/main/library/options.ts";
import { createServer, type OrchServer } from "../../src/main/library.ts";

type Fetch = OrchServer["fetch"];
const sent = (method: string, body: object, type = "application/json"): RequestInit => ({
  method,
  headers: { "content-type": type },
  body: JSON.stringify(body),
});
const post = (body: object) => sent("POST", body);
const merge = (body: object) => sent("PATCH", body, "application/merge-patch+json");
const core = "/api/v1/namespaces/default";
const [maps, secrets] = [`${core}/configmaps`, `${core}/secrets`];
const rbac = "/apis/rbac.authorization.orch.io/v1";
const history = "/apis/history.orch.io/v1alpha1";
const changes = `${history}/namespaces/default/changes`;

interface Change {
  readonly metadata: { readonly name: string };
  readonly operation: string;
  readonly user: string;
  readonly object: { readonly kind: string; readonly name: string };
  readonly fields?: readonly { readonly path: string; readonly old?: string; readonly new?: string }[];
}
interface List<T> {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
  readonly items: readonly T[];
}
interface Stored {
  readonly metadata: { readonly resourceVersion: string };
  readonly data?: Readonly<Record<string, string>>;
}

let server: OrchServer;
let shop: ServerWorkspace;
let bank: ServerWorkspace;
const read = async <T>(fetch: Fetch, path: string, init?: RequestInit) => (await (await fetch(path, init)).json()) as T;
const listed = async (fetch: Fetch, path: string) => (await read<List<Change>>(fetch, path)).items;
const of = (name: string) => `${changes}?fieldSelector=object.resource%3Dconfigmaps,object.name%3D${name}`;

beforeAll(async () => {
  server = await createServer({ workspaces: true, authorization: "RBAC", history: "1h", emulatedVersion: "1.37" });
  [shop, bank] = [await server.workspace("shop"), await server.workspace("bank")];
});
afterAll(() => server.close());

test("a workspace shows who changed what in it, and what was before", async () => {
  const first = await read<Stored>(shop.fetch, maps, post({ metadata: { name: "price" }, data: { of: "1" } }));
  await shop.fetch(`${maps}/price`, merge({ data: { of: "2" } }));
  await shop.fetch(`${maps}/price`, { method: "DELETE" });
  const found = await listed(shop.fetch, of("price"));
  expect(found.map(({ operation, user, object }) => [operation, user, object.kind, object.name])).toEqual(
    ["delete", "update", "create"].map((operation) => [operation, found[0]!.user, "ConfigMap", "price"]),
  );
  expect(found[1]!.fields).toContainEqual({ path: "data.of", old: '"1"', new: '"2"' });
  const { resourceVersion } = first.metadata;
  const before = await read<Stored>(
    shop.fetch,
    `${maps}/price?resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`,
  );
  expect(before.data).toEqual({ of: "1" });
  const one = await read<Change>(shop.fetch, `${changes}/${resourceVersion}`);
  expect([one.operation, one.object.name]).toEqual(["create", "price"]);
});

test("what a workspace began with has a past too", async () => {
  const path = `${rbac}/clusterroles/view`;
  const began = await read<Stored>(shop.fetch, path);
  await shop.fetch(path, { method: "DELETE" });
  const query = "?fieldSelector=object.resource%3Dclusterroles,object.name%3Dview";
  const [removed] = await listed(shop.fetch, `${history}/changes${query}`);
  expect([removed?.operation, removed?.fields?.some(({ old }) => old !== undefined)]).toEqual(["delete", true]);
  const at = `${BigInt(removed!.metadata.name) - 1n}`;
  const then = await read<Stored>(shop.fetch, `${path}?resourceVersion=${at}&resourceVersionMatch=Exact`);
  expect(then.metadata.resourceVersion).toBe(began.metadata.resourceVersion);
  expect((await bank.fetch(path)).status).toBe(200);
});

test("a state by its time is that of the workspace, also after it has slept", async () => {
  await shop.fetch(maps, post({ metadata: { name: "clock" }, data: { at: "before" } }));
  const [created] = await listed(shop.fetch, of("clock"));
  const { items } = await read<List<{ metadata: { name: string; creationTimestamp: string } }>>(
    shop.fetch,
    of("clock"),
  );
  expect(items[0]?.metadata.name).toBe(created?.metadata.name);
  await new Promise((done) => setTimeout(done, 5));
  const time = new Date().toISOString();
  await new Promise((done) => setTimeout(done, 5));
  await shop.fetch(`${maps}/clock`, merge({ data: { at: "after" } }));
  const path = `${maps}/clock?atTime=${time}`;
  expect((await read<Stored>(shop.fetch, path)).data).toEqual({ at: "before" });
  const all = await read<List<Stored>>(shop.fetch, `${maps}?atTime=${time}`);
  expect(all.items.some(({ data }) => data?.["at"] === "before")).toBe(true);
  const suspend = (suspended: boolean) =>
    server.fetch("/apis/tenancy.orch.io/v1alpha1/workspaces/shop", merge({ spec: { suspended } }));
  await suspend(true);
  await server.until("Workspace", "shop", (one) => JSON.stringify(one).includes('"phase":"Suspended"'));
  await suspend(false);
  await expect.poll(async () => (await shop.fetch(path)).status).toBe(200);
  expect((await read<Stored>(shop.fetch, path)).data).toEqual({ at: "before" });
  expect(await listed(shop.fetch, of("clock"))).toHaveLength(2);
});

test("a watch of changes tells those of its workspace alone", async () => {
  const { metadata } = await read<List<Change>>(shop.fetch, `${changes}?limit=1`);
  const watch = await shop.fetch(`${changes}?watch=1&resourceVersion=${metadata.resourceVersion}&timeoutSeconds=20`);
  for (const { fetch } of [bank, server, shop]) await fetch(maps, post({ metadata: { name: "watched" } }));
  const reader = watch.body!.pipeThrough(new TextDecoderStream()).getReader();
  let told = "";
  while (!told.includes("\n")) told += (await reader.read()).value ?? "";
  await reader.cancel();
  const { object } = JSON.parse(told.split("\n")[0]!) as { object: Change };
  const own = await read<Stored>(shop.fetch, `${maps}/watched`);
  expect([object.metadata.name, object.object.name]).toEqual([own.metadata.resourceVersion, "watched"]);
});

test("the history of a workspace is in no other one, and not at the root", async () => {
  const secret = await read<Stored>(
    bank.fetch,
    secrets,
    post({ metadata: { name: "vault" }, stringData: { code: "vault" } }),
  );
  const { resourceVersion } = secret.metadata;
  const time = new Date().toISOString();
  const chunk = await read<List<Change>>(bank.fetch, `${history}/changes?limit=1`);
  const token = encodeURIComponent(chunk.metadata.continue ?? "none");
  for (const { fetch } of [shop, server])
    for (const path of [
      `${history}/changes?limit=500`,
      `${changes}?limit=500`,
      `${changes}/${resourceVersion}`,
      `${history}/changes?fieldSelector=metadata.name%3D${resourceVersion}`,
      `${changes}?fieldSelector=object.resource%3Dsecrets,object.name%3Dvault`,
      `${history}/changes?since=${time}`,
      `${history}/changes?limit=5&continue=${token}`,
      `${history}/changes?resourceVersion=${resourceVersion}&watch=1&timeoutSeconds=1`,
      `${secrets}?atTime=${time}`,
      `${secrets}/vault?atTime=${time}`,
      `${secrets}?resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`,
      `${secrets}/vault?resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`,
    ]) {
      const text = (await (await fetch(path)).text())
        .replaceAll('secrets \\"vault\\"', "")
        .replaceAll('"name":"vault","kind"', "");
      expect([path, text.includes("vault")]).toEqual([path, false]);
    }
  const { items } = await read<List<Change>>(server.fetch, `${history}/changes?limit=500`);
  expect(items.filter(({ object }) => object.kind === "" || object.name.includes("/"))).toEqual([]);
});

test("who may not get an object inside does not see its changes, whatever their rights at the root are", async () => {
  const name = { apiGroup: "rbac.authorization.orch.io", kind: "User", name: "eve" };
  const bind = async (fetch: Fetch, role: string, rules: readonly object[]) => {
    await fetch(`${rbac}/clusterroles`, post({ metadata: { name: role }, rules }));
    const roleRef = { apiGroup: "rbac.authorization.orch.io", kind: "ClusterRole", name: role };
    await fetch(`${rbac}/clusterrolebindings`, post({ metadata: { name: role }, subjects: [name], roleRef }));
  };
  await bind(server.fetch, "eve", [
    { apiGroups: ["*"], resources: ["*"], verbs: ["get", "list", "watch"] },
    { apiGroups: ["tenancy.orch.io"], resources: ["workspaces/content"], verbs: ["access"] },
  ]);
  await bind(bank.fetch, "eve", [
    { apiGroups: ["history.orch.io"], resources: ["changes"], verbs: ["get", "list"] },
    { apiGroups: [""], resources: ["configmaps"], verbs: ["get", "list"] },
  ]);
  await bank.fetch(maps, post({ metadata: { name: "open" } }));
  const eve = server.fetchAs({ name: "eve" });
  const seen = await listed(eve, `/clusters/bank${changes}?limit=500`);
  expect(seen.some(({ object }) => object.name === "open")).toBe(true);
  expect(seen.filter(({ object }) => object.kind !== "ConfigMap")).toEqual([]);
  expect((await eve(`/clusters/shop${changes}`)).status).toBe(403);
});

test("changes of all workspaces are not served at once", async () => {
  expect((await server.fetch(`/clusters/*${history}/changes`)).status).toBe(405);
});
