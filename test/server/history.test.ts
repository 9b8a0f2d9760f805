/** The past of a server: reads of what was, and who may read it. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connect, controller, runControllers } from "../../src/kit/orch-client.ts";
import { createServer, kinds, type OrchServer } from "../../src/main/library.ts";

const json = { "content-type": "application/json" };
const maps = "/api/v1/namespaces/default/configmaps";
const begin = "2026-01-01T00:00:00Z";

interface Item {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
  readonly data?: Readonly<Record<string, string>>;
}
interface Body extends Item {
  readonly message?: string;
  readonly reason?: string;
  readonly items: readonly Item[];
  readonly metadata: Item["metadata"] & { readonly continue?: string };
}

let server: OrchServer;
const versions: string[] = [];

async function send(method: string, path: string, body?: object): Promise<Body> {
  const type = method === "PATCH" ? { "content-type": "application/merge-patch+json" } : json;
  const answer = await server.fetch(path, { method, headers: type, ...(body && { body: JSON.stringify(body) }) });
  expect(answer.ok, await answer.clone().text()).toBe(true);
  return (await answer.json()) as Body;
}

async function get(path: string): Promise<{ readonly status: number; readonly body: Body }> {
  const answer = await server.fetch(path);
  return { status: answer.status, body: (await answer.json()) as Body };
}

beforeAll(async () => {
  server = await createServer({ history: "48h", clock: { virtual: begin } });
  // One change an hour: prices is created at 0, changed at 1 and 2, other is created at 2, prices is deleted at 3.
  const note = (body: Body) => versions.push(body.metadata.resourceVersion);
  note(await send("POST", maps, { metadata: { name: "prices", labels: { of: "shop" } }, data: { apple: "1" } }));
  await server.clock.advance("1h");
  note(await send("PATCH", `${maps}/prices`, { data: { apple: "2" } }));
  await server.clock.advance("1h");
  note(await send("PATCH", `${maps}/prices`, { data: { apple: "3" } }));
  await send("POST", maps, { metadata: { name: "other" } });
  await server.clock.advance("1h");
  await send("DELETE", `${maps}/prices`);
  // Compaction has gone by many times.
  await server.clock.advance("1h");
});
afterAll(() => server.close());

describe("a read of the past", () => {
  test("of an object shows it as it was at a time", async () => {
    const at = async (time: string) => (await get(`${maps}/prices?atTime=${time}`)).body.data?.["apple"];
    expect(await at("2026-01-01T00:30:00Z")).toBe("1");
    expect(await at("2026-01-01T01:30:00Z")).toBe("2");
    expect(await at("2026-01-01T03:30:00%2B01:00")).toBe("3");
    expect((await get(`${maps}/prices?atTime=2026-01-01T03:30:00Z`)).status).toBe(404);
    expect((await get(`${maps}/other?atTime=2026-01-01T01:30:00Z`)).status).toBe(404);
  });

  test("of an object shows it as it was at a revision", async () => {
    for (const [index, version] of versions.entries()) {
      const { status, body } = await get(`${maps}/prices?resourceVersion=${version}&resourceVersionMatch=Exact`);
      expect(status).toBe(200);
      expect(body.data).toEqual({ apple: `${index + 1}` });
      expect(body.metadata.resourceVersion).toBe(version);
    }
  });

  test("of a list has the objects and the revision of that time, with selectors and chunks", async () => {
    const { body } = await get(`${maps}?atTime=2026-01-01T02:30:00Z&labelSelector=of%3Dshop`);
    expect(body.items.map(({ metadata, data }) => [metadata.name, data])).toEqual([["prices", { apple: "3" }]]);
    const first = await get(
      `${maps}?atTime=2026-01-01T02:30:00Z&fieldSelector=metadata.name!%3Dorch-root-ca.crt&limit=1`,
    );
    const rest = await get(`${maps}?atTime=2026-01-01T02:30:00Z&limit=5&continue=${first.body.metadata.continue}`);
    const names = [...first.body.items, ...rest.body.items].map(({ metadata }) => metadata.name);
    expect(names.filter((name) => !name.endsWith(".crt"))).toEqual(["other", "prices"]);
    const exact = await get(
      `${maps}?resourceVersion=${versions[1]}&resourceVersionMatch=Exact&labelSelector=of%3Dshop`,
    );
    expect(exact.body.items.map(({ data }) => data)).toEqual([{ apple: "2" }]);
    expect(exact.body.metadata.resourceVersion).toBe(versions[1]);
  });

  test("of a table and of a namespace that is gone works as of what is there", async () => {
    await send("POST", "/api/v1/namespaces", { metadata: { name: "brief" } });
    await send("POST", "/api/v1/namespaces/brief/configmaps", { metadata: { name: "x" } });
    const then = new Date(server.clock.now()).toISOString();
    await server.clock.advance("1m");
    await send("DELETE", "/api/v1/namespaces/brief");
    await server.clock.advance("10m");
    await expect.poll(async () => (await get("/api/v1/namespaces/brief")).status).toBe(404);
    expect((await get("/api/v1/namespaces/brief/configmaps/x")).status).toBe(404);
    expect((await get(`/api/v1/namespaces/brief/configmaps/x?atTime=${then}`)).status).toBe(200);
    const accept = "application/json;as=Table;v=v1;g=meta.orch.io";
    const table = await server.fetch(`/api/v1/namespaces/brief/configmaps?atTime=${then}`, { headers: { accept } });
    expect(JSON.stringify(await table.json())).toContain('"cells":["x"');
  });

  const refused = [
    { why: "a time in the future", query: "atTime=2027-01-01T00:00:00Z", status: 400, says: "is in the future" },
    { why: "what is no time", query: "atTime=yesterday", status: 400, says: "must be a time like" },
    {
      why: "a time before the history",
      query: "atTime=2025-12-31T00:00:00Z",
      status: 410,
      says: "the oldest state that is kept is that of 2026-01-01T00:00:00.000Z",
    },
    {
      why: "a time and a revision",
      query: "resourceVersion=5&atTime=2026-01-01T01:00:00Z",
      status: 400,
      says: "must not be given together",
    },
  ];
  test("refuses the exact state of revision 0, which would be answered with what there is now", async () => {
    const answer = await server.fetch(`${maps}/other?resourceVersion=0&resourceVersionMatch=Exact`);
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain("no state has it");
    expect((await server.fetch(`${maps}?resourceVersion=0&resourceVersionMatch=Exact`)).status).toBe(422);
  });

  for (const { why, query, status, says } of refused)
    test(`refuses ${why}, for a list and for one object`, async () => {
      for (const path of [maps, `${maps}/other`]) {
        const answer = await get(`${path}?${query}`);
        expect([answer.status, answer.body.message]).toEqual([status, expect.stringContaining(says)]);
      }
    });

  test("is refused for what no history keeps, for watches and for deletes", async () => {
    const leases = await get("/apis/coordination.orch.io/v1/leases?atTime=2026-01-01T01:00:00Z");
    expect([leases.status, leases.body.message]).toEqual([400, "atTime: the history does not keep leases"]);
    expect((await get(`${maps}?watch=1&atTime=2026-01-01T01:00:00Z`)).body.message).toContain(
      "a watch shows what happens",
    );
    const answer = await server.fetch(`${maps}?atTime=2026-01-01T01:00:00Z`, { method: "DELETE" });
    expect([answer.status, ((await answer.json()) as Body).message]).toEqual([
      400,
      expect.stringContaining("a delete is of what there is now"),
    ]);
  });
});

describe("changes", () => {
  interface Shown extends Item {
    readonly object: { readonly kind: string; readonly name: string };
    readonly operation: string;
    readonly verb: string;
    readonly user: string;
    readonly fields?: readonly { readonly path: string; readonly old?: string; readonly new?: string }[];
  }
  const all = "/apis/history.orch.io/v1alpha1/changes";
  const own = "/apis/history.orch.io/v1alpha1/namespaces/default/changes";
  const list = async (path: string, selector: string, more = "") => {
    const { body } = await get(`${path}?fieldSelector=${encodeURIComponent(selector)}${more}`);
    return { items: body.items as unknown as readonly Shown[], next: body.metadata.continue };
  };

  test("say what happened to an object, newest first, with the fields that changed", async () => {
    const { items } = await list(own, "object.group=,object.resource=configmaps,object.name=prices");
    expect(items.map(({ operation, verb, user }) => [operation, verb, user])).toEqual([
      ["delete", "delete", "admin"],
      ["update", "patch", "admin"],
      ["update", "patch", "admin"],
      ["create", "create", "admin"],
    ]);
    expect(items[1]?.fields).toEqual([{ path: "data.apple", old: '"2"', new: '"3"' }]);
    expect(items.map(({ metadata }) => metadata.name).slice(1)).toEqual(versions.toReversed());
    const one = await get(`${own}/${versions[1]}`);
    expect((one.body as unknown as Shown).fields).toEqual([{ path: "data.apple", old: '"1"', new: '"2"' }]);
    expect((await get(`${own}/999999`)).status).toBe(404);
  });

  test("are found by kind, user, verb, manager and time, in chunks", async () => {
    const names = async (selector: string) => (await list(own, selector)).items.map(({ object }) => object.name);
    expect(await names("object.kind=ConfigMap,operation=delete")).toEqual(["prices"]);
    expect(await names("object.kind=ConfigMap,user!=admin,verb=patch")).toEqual([]);
    expect(
      await names("object.kind=ConfigMap,since=2026-01-01T01:30:00Z,until=2026-01-01T02:30:00Z,user=admin"),
    ).toEqual(["other", "prices"]);
    const found: string[] = [];
    let next = "";
    do {
      const page = await list(own, "object.name=prices", `&limit=1&continue=${next}`);
      found.push(...page.items.map(({ operation }) => operation));
      next = page.next ?? "";
    } while (next !== "");
    expect(found).toEqual(["delete", "update", "update", "create"]);
  });

  test("of large objects come in chunks of a few megabytes, each once", async () => {
    const large = { metadata: { name: "large" }, data: { text: "x".repeat(1_000_000) } };
    await send("POST", maps, large);
    for (let at = 0; at < 12; at++) await send("PATCH", `${maps}/large`, { data: { at: `${at}` } });
    const chunks: number[] = [];
    const seen: string[] = [];
    for (let next = ""; chunks.length === 0 || next !== ""; ) {
      const path = `${own}?fieldSelector=object.name=large&continue=${encodeURIComponent(next)}`;
      const { items, metadata } = await send("GET", path);
      chunks.push(items.length);
      seen.push(...items.map(({ metadata: { name } }) => name));
      next = metadata.continue ?? "";
    }
    expect([new Set(seen).size, seen.length, chunks.length]).toEqual([13, 13, 2]);
  });

  test("of objects whose definition is gone are shown as they were stored", async () => {
    const group = "toys.example.com";
    const schema = { type: "object", "x-orch-preserve-unknown-fields": true };
    await send("POST", "/apis/apiextensions.orch.io/v1/customresourcedefinitions", {
      metadata: { name: `balls.${group}` },
      spec: {
        group,
        scope: "Namespaced",
        names: { plural: "balls", kind: "Ball" },
        versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }],
      },
    });
    const path = `/apis/${group}/v1/namespaces/default/balls`;
    await expect.poll(async () => (await server.fetch(path)).status).toBe(200);
    await send("POST", path, { apiVersion: `${group}/v1`, kind: "Ball", metadata: { name: "red" }, size: 3 });
    await send("DELETE", `/apis/apiextensions.orch.io/v1/customresourcedefinitions/balls.${group}`);
    await expect.poll(async () => (await server.fetch(path)).status).toBe(404);
    const { items } = await list(all, "object.name=red,operation=create");
    expect(items).toMatchObject([{ object: { kind: "Ball", name: "red" } }]);
    expect(items[0]?.fields?.[0]?.new).toContain('"size":3');
  });

  test("cannot be selected by other fields, by labels, or by what is no time", async () => {
    expect((await get(`${own}?fieldSelector=color%3Dred`)).status).toBe(400);
    expect((await get(`${own}?labelSelector=a%3Db`)).status).toBe(400);
    expect((await get(`${own}?fieldSelector=since%3Dyesterday`)).status).toBe(400);
    expect((await get(`${own}?continue=abc`)).status).toBe(400);
  });
});

test("a server without a history says so, and reads one object as before", async () => {
  await using plain = await createServer();
  const answer = await plain.fetch(`${maps}?atTime=2026-01-01T01:00:00Z`);
  expect([answer.status, ((await answer.json()) as Body).message]).toEqual([
    400,
    "atTime: this server keeps no history; it needs --history",
  ]);
  await plain.fetch(maps, { method: "POST", headers: json, body: JSON.stringify({ metadata: { name: "x" } }) });
  expect((await plain.fetch("/apis/history.orch.io/v1alpha1")).status).toBe(404);
  expect(await (await plain.fetch("/apis")).text()).not.toContain("history.orch.io");
  const read = await plain.fetch(`${maps}/x?resourceVersion=1&resourceVersionMatch=Exact`);
  expect(read.status).toBe(200);
});

test("what is older than the bound is gone, and the refusal names the oldest state that is kept", async () => {
  await using brief = await createServer({ history: "1h", clock: { virtual: begin }, controllers: false });
  const put = async (name: string) => {
    const body = JSON.stringify({ metadata: { name } });
    const answer = await brief.fetch(maps, { method: "POST", headers: json, body });
    return ((await answer.json()) as Body).metadata.resourceVersion;
  };
  const first = await put("x");
  await brief.clock.advance("2h");
  const second = await put("y");
  await brief.clock.advance("30m");
  for (const path of [maps, `${maps}/x`]) {
    const old = await brief.fetch(`${path}?resourceVersion=${Number(first) - 1}&resourceVersionMatch=Exact`);
    const says = /is too old; the oldest state that is kept is resourceVersion \d+, of 2026-01-01T0/;
    expect([old.status, ((await old.json()) as Body).message]).toEqual([410, expect.stringMatching(says)]);
    expect((await brief.fetch(`${path}?resourceVersion=${second}&resourceVersionMatch=Exact`)).status).toBe(200);
    const asked = brief.fetch(`${path}?resourceVersion=999999&resourceVersionMatch=Exact`);
    await brief.clock.advance("10s");
    expect(((await (await asked).json()) as Body).message).toContain("Too large resource version: 999999");
  }
});

test("the history of a server with a folder is there after a restart, with its secrets", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "orch-history-"));
  const options = { dataDir, history: "1h,64Mi", controllers: false } as const;
  const secrets = "/api/v1/namespaces/default/secrets";
  const read = async (one: OrchServer, path: string) => (await (await one.fetch(path)).json()) as Body;
  try {
    const first = await createServer(options);
    const body = JSON.stringify({ metadata: { name: "x" }, data: { a: "MQ==" } });
    await first.fetch(secrets, { method: "POST", headers: json, body });
    const { metadata } = await read(first, `${secrets}/x`);
    await first.fetch(`${secrets}/x`, { method: "DELETE" });
    await first.close();
    await using again = await createServer(options);
    const exact = `?resourceVersion=${metadata.resourceVersion}&resourceVersionMatch=Exact`;
    expect((await read(again, `${secrets}/x${exact}`)).data).toEqual({ a: "MQ==" });
    const select = encodeURIComponent("object.name=x,object.kind=Secret");
    const { items } = await read(
      again,
      `/apis/history.orch.io/v1alpha1/namespaces/default/changes?fieldSelector=${select}`,
    );
    expect(items).toMatchObject([{ operation: "delete" }, { operation: "create", user: "admin" }]);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});

test("the history of a fork begins with the fork", async () => {
  await using fork = await server.fork();
  const answer = await fork.fetch(`${maps}?atTime=2026-01-01T01:30:00Z`);
  expect(answer.status).toBe(410);
});

describe("history() of the library", () => {
  test("lists the changes of one object, newest first, all or some", async () => {
    const data = (value: string) => ({ data: { value } });
    await send("POST", maps, { metadata: { name: "told" }, ...data("1") });
    await send("PATCH", `${maps}/told`, data("2"));
    await send("DELETE", `${maps}/told`);
    const changes = await server.history("ConfigMap", { namespace: "default", name: "told" });
    expect(changes.map(({ operation, user }) => [operation, user])).toEqual([
      ["delete", "admin"],
      ["update", "admin"],
      ["create", "admin"],
    ]);
    expect(changes[1]?.fields).toEqual([{ path: "data.value", old: '"1"', new: '"2"' }]);
    expect(await server.history("ConfigMap", { namespace: "default", name: "told" }, { limit: 1 })).toHaveLength(1);
    expect(await server.history("Node", { name: "none" })).toEqual([]);
  });

  test("refuses what cannot be told", async () => {
    await expect(server.history("ConfigMap", { name: "told" })).rejects.toThrow("none is given");
    await expect(server.history("ConfigMap", { namespace: "x", name: "y" }, { limit: 0 })).rejects.toThrow("limit");
    await using plain = await createServer();
    await expect(plain.history("Node", { name: "n" })).rejects.toThrow("this server keeps none");
  });
});

test("a write of a controller says which object made it write", async () => {
  await using run = await createServer({ history: "1h", controllers: ["deployment", "replicaset"] });
  const labels = { app: "web" };
  const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } };
  const body = { metadata: { name: "web" }, spec: { replicas: 1, selector: { matchLabels: labels }, template } };
  await run.fetch("/apis/apps/v1/namespaces/default/deployments", {
    method: "POST",
    headers: json,
    body: JSON.stringify(body),
  });
  const pods = "/api/v1/namespaces/default/pods";
  const podsOf = async () => ((await (await run.fetch(pods)).json()) as Body).items;
  await expect.poll(async () => (await podsOf()).length).toBe(1);
  const [pod] = await podsOf();
  const set = pod!.metadata.name.replace(/-[a-z0-9]+$/, "");
  const causes = async (kind: string, name: string) =>
    (await run.history(kind, { namespace: "default", name })).map(({ operation, cause }) => [operation, cause]).at(-1);
  expect(await causes("Pod", pod!.metadata.name)).toEqual(["create", `replicaset default/${set}`]);
  expect(await causes("ReplicaSet", set)).toEqual(["create", "deployment default/web"]);
  expect(await causes("Deployment", "web")).toEqual(["create", undefined]);
});

test("a write of a simulated node says which node it is for", async () => {
  await using run = await createServer({ history: "1h", nodes: 1, controllers: ["nodelifecycle"], clock: "virtual" });
  await run.clock.advance("6m");
  const changes = await run.history("Node", { name: "node-0" });
  const written = changes.filter(({ cause }) => cause === "simulated-nodes-heartbeats node-0");
  expect(written.at(-1)).toMatchObject({ operation: "create" });
  expect(written[0]).toMatchObject({ operation: "update" });
});

test("a change names the owners of its object, and a cause that nobody said is marked as a guess", async () => {
  await using run = await createServer({ history: "1h", controllers: false });
  const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "set", uid: "u-1", controller: true };
  const named = (name: string, user: string) =>
    run.fetch(maps, {
      method: "POST",
      headers: { ...json, "impersonate-user": user, ...(user !== "jane" && { "impersonate-group": "system:masters" }) },
      body: JSON.stringify({ metadata: { name, ownerReferences: [owner] } }),
    });
  await run.fetch("/apis/rbac.authorization.orch.io/v1/clusterrolebindings", {
    method: "POST",
    headers: json,
    body: JSON.stringify({
      metadata: { name: "jane" },
      subjects: [{ kind: "User", apiGroup: "rbac.authorization.orch.io", name: "jane" }],
      roleRef: { apiGroup: "rbac.authorization.orch.io", kind: "ClusterRole", name: "cluster-admin" },
    }),
  });
  await named("foreign", "system:serviceaccount:tools:maker");
  await named("own", "jane");
  const about = async (name: string) => (await run.history("ConfigMap", { namespace: "default", name }))[0];
  const { apiVersion: _version, ...shown } = owner;
  expect(await about("foreign")).toMatchObject({
    object: { owners: [shown] },
    cause: "replicaset default/set",
    guessed: true,
  });
  expect(await about("own")).toMatchObject({ object: { owners: [shown] }, user: "jane" });
  expect(await about("own")).not.toHaveProperty("cause");
});

test("a change names the webhooks that changed its object", async () => {
  await using run = await createServer({ history: "1h", controllers: false });
  await using _hook = await run.webhook("ConfigMap", {
    mutate({ object }) {
      if (object?.metadata.name === "touched") object.metadata.labels = { touched: "yes" };
    },
  });
  for (const name of ["touched", "plain"])
    await run.fetch(maps, { method: "POST", headers: json, body: JSON.stringify({ metadata: { name } }) });
  const admission = async (name: string) =>
    (await run.history("ConfigMap", { namespace: "default", name }))[0]?.admission;
  expect(await admission("touched")).toMatch(/^webhook \S+ of \S+$/);
  expect(await admission("plain")).toBeUndefined();
});

test("a controller of the kit says which object made it write", async () => {
  await using run = await createServer({ history: "1h", controllers: false });
  const copies = controller({
    for: kinds.ConfigMap,
    selection: { labelSelector: "copy" },
    async reconcile({ object, client }) {
      await client.of(kinds.ConfigMap).create({ metadata: { name: `${object.metadata.name}-copy` } });
    },
  });
  await using _running = runControllers({ client: await connect({ server: run }), controllers: [copies] });
  const body = JSON.stringify({ metadata: { name: "source", labels: { copy: "yes" } } });
  await run.fetch(maps, { method: "POST", headers: json, body });
  await run.until("ConfigMap", "source-copy", () => true);
  const [change] = await run.history("ConfigMap", { namespace: "default", name: "source-copy" });
  expect(change).toMatchObject({ operation: "create", cause: "configmap-controller default/source" });
});
