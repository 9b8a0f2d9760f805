/** Questions beyond selectors: where, orderBy, count and select, for lists, watches and deletes. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { orderedCharsMax } from "../../src/http/handlers/order.ts";
import { createServer, type OrchServer } from "../../src/main/library.ts";

const json = { "content-type": "application/json" };
const base = "/api/v1/namespaces/default";
const apps = "/apis/apps/v1/namespaces/default/deployments";

interface Item {
  readonly metadata: { readonly name: string };
}
interface List {
  readonly kind: string;
  readonly message?: string;
  readonly metadata: {
    readonly continue?: string;
    readonly remainingItemCount?: number;
    readonly resourceVersion: string;
  };
  readonly items: readonly Item[];
}

let server: OrchServer;
const post = async (path: string, object: object) => {
  const answer = await server.fetch(path, { method: "POST", headers: json, body: JSON.stringify(object) });
  expect(answer.status, await answer.clone().text()).toBe(201);
};

const search = (query: Readonly<Record<string, string>>) => new URLSearchParams(query).toString();

async function ask(path: string, query: Readonly<Record<string, string>>, headers: Record<string, string> = {}) {
  const answer = await server.fetch(`${path}?${search(query)}`, { headers });
  const list = (await answer.json()) as List;
  return { status: answer.status, list, plan: answer.headers.get("orch-plan"), warning: answer.headers.get("warning") };
}
const names = ({ list }: { readonly list: List }) => list.items.map(({ metadata }) => metadata.name);
const refusal = async (query: Readonly<Record<string, string>>, path = `${base}/configmaps`) => {
  const { status, list } = await ask(path, query);
  expect(status).toBe(400);
  return list.message;
};

const deployment = (name: string, replicas: number) => ({
  metadata: { name },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: "c", image: "i" }] } },
  },
});

beforeAll(async () => {
  server = await createServer();
  for (const [name, size, tier] of [
    ["a", "3", "web"],
    ["b", "10", "db"],
    ["c", "2", "web"],
    ["d", "", "web"],
  ] as const)
    await post(`${base}/configmaps`, {
      metadata: { name, labels: { tier } },
      ...(size === "" ? {} : { data: { size } }),
    });
  for (const [name, replicas] of [
    ["small", 1],
    ["large", 5],
    ["ready", 4],
  ] as const)
    await post(apps, deployment(name, replicas));
  const status = { status: { replicas: 4, readyReplicas: 4 } };
  const headers = { "content-type": "application/merge-patch+json" };
  await server.fetch(`${apps}/ready/status`, { method: "PATCH", headers, body: JSON.stringify(status) });
});
afterAll(() => server.close());

describe("where", () => {
  test("selects the objects that an expression is true of; a number that is not set is zero", async () => {
    const where = "self.spec.replicas > 3 && self.status.readyReplicas < self.spec.replicas";
    expect(names(await ask(apps, { where }))).toEqual(["large"]);
    expect(names(await ask(apps, { where: "has(self.status.readyReplicas)" }))).toEqual(["ready"]);
    expect(names(await ask(apps, { where: "!self.status.?readyReplicas.hasValue()" }))).toEqual(["large", "small"]);
  });

  test("goes together with selectors", async () => {
    const query = { where: 'int(self.data["size"]) < 5', labelSelector: "tier=web" };
    expect(names(await ask(`${base}/configmaps`, query))).toEqual(["a", "c"]);
  });

  test("names objects for which it has no value", async () => {
    const answer = await ask(`${base}/configmaps`, { where: 'int(self.data["size"]) > 2', labelSelector: "tier" });
    expect(names(answer)).toEqual(["a", "b"]);
    expect(answer.warning).toContain(
      "where has no value for 1 objects, which are left out: default/d: no such key: size",
    );
  });

  test("names what an object lacks in a header that a client can read", async () => {
    const key = `a\\r\\nSet-Cookie: x\u{1f600}${"x".repeat(9_000)}`;
    const { status, warning } = await ask(`${base}/configmaps`, { where: `self.data["${key}"] == ""` });
    expect(status).toBe(200);
    expect(warning).toContain("no such key");
    expect(warning).not.toMatch(/[\r\n]/);
  });

  test("says where an expression is wrong", async () => {
    expect(await refusal({ where: "self.spec.replica > 3" }, apps)).toContain("undefined field 'replica'");
    expect(await refusal({ where: "self.metadata.name" })).toContain("must be true or false, not of type string");
    expect(await refusal({ where: "self." })).toContain("where does not compile");
    expect(await refusal({ where: " " })).toBe("where is empty");
    expect(await refusal({ where: `self.metadata.name == "${"x".repeat(10_000)}"` })).toContain("at most 10000");
  });

  test("costs its sender a refusal when it is too expensive, and others nothing", async () => {
    const numbers = JSON.stringify(Array.from({ length: 60 }, (_, at) => at));
    const all = (inner: string) => `${numbers}.all(x${inner.length}, ${inner})`;
    const where = all(all(all(all(all("self.metadata.name != 'x'")))));
    const { warning, list } = await ask(`${base}/configmaps`, { where, labelSelector: "tier=db" });
    expect(list.items).toEqual([]);
    expect(warning).toMatch(/cost/);
  });

  test("reads a pod's time, quantity and labels by their types", async () => {
    const where =
      'self.metadata.creationTimestamp > timestamp("2020-01-01T00:00:00Z") && self.metadata.labels["tier"] in ["db", "cache"]';
    expect(names(await ask(`${base}/configmaps`, { where }))).toEqual(["b"]);
  });
});

describe("orderBy", () => {
  test("sorts by fields; objects without a value come last", async () => {
    const order = async (orderBy: string) =>
      names(await ask(`${base}/configmaps`, { orderBy, labelSelector: "tier" })).join("");
    expect(await order("data.size")).toBe("bcad");
    expect(await order("data.size desc")).toBe("acbd");
    expect(await order("metadata.labels['tier'] asc, metadata.name desc")).toBe("bdca");
    expect(names(await ask(apps, { orderBy: "spec.replicas desc" }))).toEqual(["large", "ready", "small"]);
    const deep =
      "spec.template.spec.containers[0].resources.limits['cpu'], spec.strategy.rollingUpdate.maxSurge, kind, apiVersion";
    expect(names(await ask(apps, { orderBy: deep }))).toEqual(["large", "ready", "small"]);
  });

  test("keeps its order in a Table, and over chunks of one state", async () => {
    const query = { orderBy: "spec.replicas", limit: "2" };
    const first = await ask(apps, query);
    expect([names(first), first.list.metadata.remainingItemCount]).toEqual([["small", "ready"], 1]);
    await post(apps, deployment("tiny", 0));
    const second = await ask(apps, { ...query, continue: first.list.metadata.continue! });
    expect([names(second), second.list.metadata.continue]).toEqual([["large"], undefined]);
    expect(second.list.metadata.resourceVersion).toBe(first.list.metadata.resourceVersion);
    const other = await ask(apps, { orderBy: "metadata.name", limit: "2", continue: first.list.metadata.continue! });
    expect([other.status, other.list.message]).toEqual([400, "continue is not a valid continue token of this list"]);
    await server.fetch(`${apps}/tiny`, { method: "DELETE" });
  });

  test("compares texts by their beginning, so that it keeps little of them in memory", async () => {
    const long = (end: string) => "x".repeat(orderedCharsMax - 1) + end;
    for (const [name, text] of [
      ["t1", `${long("b")}1`],
      ["t2", `${long("a")}2`],
      ["t3", `${long("a")}1`],
    ] as const)
      await post(`${base}/configmaps`, { metadata: { name, labels: { texts: "" } }, data: { text } });
    expect(names(await ask(`${base}/configmaps`, { orderBy: "data.text", labelSelector: "texts" }))).toEqual([
      "t2",
      "t3",
      "t1",
    ]);
  });

  test("refuses what is not a path, and a direction that is none", async () => {
    expect(await refusal({ orderBy: "a b c" })).toContain("is not the path of a field");
    expect(await refusal({ orderBy: "a..b" })).toContain("is not the path of a field");
    expect(await refusal({ orderBy: "a up" })).toBe('orderBy: after "a" comes asc or desc, not up');
    expect(await refusal({ orderBy: "metadata.name, spec.replica desc" }, apps)).toBe(
      "orderBy does not compile: ERROR: <input>:1:6: undefined field 'replica'\n | spec.replica\n | .....^",
    );
    expect(await refusal({ orderBy: "metadata.name.first" })).toContain(
      "type 'string' does not support field selection",
    );
    expect(await refusal({ orderBy: "spec.template.spec.containers.name" }, apps)).toContain(
      "does not support field selection",
    );
    expect(await refusal({ orderBy: Array(40).fill("a").join() })).toContain("at most 32 paths");
  });
});

test("where with a limit continues behind the last object", async () => {
  const query = { where: 'self.metadata.name != "b"', labelSelector: "tier", limit: "2" };
  const first = await ask(`${base}/configmaps`, query);
  expect(names(first)).toEqual(["a", "c"]);
  const second = await ask(`${base}/configmaps`, { ...query, continue: first.list.metadata.continue! });
  expect([names(second), second.list.metadata.continue]).toEqual([["d"], undefined]);
});

test("count is the number of objects, none of which is sent", async () => {
  const { list } = await ask(`${base}/configmaps`, {
    count: "true",
    where: 'self.metadata.labels["tier"] == "web"',
    labelSelector: "tier",
  });
  expect(list).toMatchObject({ kind: "ConfigMapList", metadata: { remainingItemCount: 3 }, items: [] });
  expect((await ask(`${base}/resourcequotas`, { count: "true" })).list.metadata.remainingItemCount).toBe(0);
  expect(await refusal({ count: "true", orderBy: "metadata.name" })).toContain("count has neither");
});

describe("select", () => {
  test("leaves the named fields of objects", async () => {
    const { list } = await ask(`${base}/configmaps`, {
      select: "metadata.name,metadata.labels['tier'],data.none",
      labelSelector: "tier=db",
    });
    expect(list.items).toEqual([{ metadata: { name: "b", labels: { tier: "db" } } }]);
    const { list: containers } = await ask(apps, { select: "spec.template.spec.containers[0].image", limit: "1" });
    expect(containers.items).toEqual([{ spec: { template: { spec: { containers: [{ image: "i" }] } } } }]);
  });

  test("makes columns of a Table, and is no message", async () => {
    const accept = "application/json;as=Table;v=v1;g=meta.orch.io";
    const query = { select: "metadata.name,data", labelSelector: "tier=db" };
    const table = (await ask(`${base}/configmaps`, query, { accept })).list as unknown as {
      columnDefinitions: { name: string }[];
      rows: { cells: unknown[] }[];
    };
    expect(table.columnDefinitions.map(({ name }) => name)).toEqual(["metadata.name", "data"]);
    expect(table.rows.map(({ cells }) => cells)).toEqual([["b", '{"size":"10"}']]);
    const protobuf = { accept: "application/vnd.orch.protobuf,application/json" };
    expect((await ask(`${base}/configmaps`, query, protobuf)).list.items).toHaveLength(1);
  });

  test("refuses paths that would repeat values", async () => {
    expect(await refusal({ select: "metadata.name,data['size'],data" })).toBe(
      `select: "data['size']" is already shown with "data"`,
    );
    expect(await refusal({ select: "data.size,data['size']" })).toContain("is already shown with");
    const { list } = await ask(`${base}/configmaps`, { select: "data.size,data.sizes", labelSelector: "tier=db" });
    expect(list.items).toEqual([{ data: { size: "10" } }]);
  });

  test("treats names of inherited members as names", async () => {
    const { list } = await ask(`${base}/configmaps`, {
      select: "__proto__.polluted,constructor",
      labelSelector: "tier=db",
    });
    expect(list.items).toEqual([{}]);
  });
});

test("a watch with where shows objects that come to meet it, and those that no longer do", async () => {
  const ended = new AbortController();
  const query = search({ watch: "true", where: 'self.data["n"] == "1"', labelSelector: "watched" });
  const answer = await server.fetch(`${base}/configmaps?${query}`, { signal: ended.signal });
  const seen: string[] = [];
  const reading = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of answer.body!)
      for (const line of decoder.decode(chunk).split("\n").filter(Boolean)) {
        const { type, object } = JSON.parse(line) as { type: string; object: { metadata: { name: string } } };
        seen.push(`${type} ${object.metadata.name}`);
      }
  })().catch(() => undefined);
  const put = (name: string, n: string, method: string) =>
    server.fetch(method === "POST" ? `${base}/configmaps` : `${base}/configmaps/${name}`, {
      method,
      headers: json,
      body: JSON.stringify({ metadata: { name, labels: { watched: "" } }, data: { n } }),
    });
  await put("w1", "1", "POST");
  await put("w2", "2", "POST");
  await put("w2", "1", "PUT");
  await put("w1", "2", "PUT");
  await expect.poll(() => seen).toEqual(["ADDED w1", "ADDED w2", "DELETED w1"]);
  ended.abort();
  await reading;
  expect(await refusal({ watch: "true", orderBy: "metadata.name" })).toContain("here only where is understood");
});

test("a watch with several values of a field shows the objects of each", async () => {
  const ended = new AbortController();
  const query = search({ watch: "true", where: 'self.metadata.name in ["v1", "v2"]' });
  const answer = await server.fetch(`${base}/configmaps?${query}`, { signal: ended.signal });
  let seen = "";
  const reading = (async () => {
    for await (const chunk of answer.body!) seen += Buffer.from(chunk).toString();
  })().catch(() => undefined);
  for (const name of ["v2", "v3", "v1"]) await post(`${base}/configmaps`, { metadata: { name } });
  await expect.poll(() => [...seen.matchAll(/"name":"(v\d)"/g)].map(([, name]) => name)).toEqual(["v2", "v1"]);
  ended.abort();
  await reading;
});

test("a deletecollection deletes what where is true of", async () => {
  for (const name of ["x1", "x2", "y1"]) await post(`${base}/configmaps`, { metadata: { name, labels: { gone: "" } } });
  const remove = (query: Readonly<Record<string, string>>) =>
    server.fetch(`${base}/configmaps?${search(query)}`, { method: "DELETE" });
  expect((await remove({ where: " ", labelSelector: "gone" })).status).toBe(400);
  expect((await remove({ count: "true", labelSelector: "gone" })).status).toBe(400);
  expect((await remove({ where: 'self.metadata.name.startsWith("x")', labelSelector: "gone" })).status).toBe(200);
  expect(names(await ask(`${base}/configmaps`, { where: "true", labelSelector: "gone" }))).toEqual(["y1"]);
});

test("a question needs the right to list, no more and no less", async () => {
  await using restricted = await createServer({ authorization: "RBAC" });
  const answer = await restricted.fetchAs({ name: "jane" })(`${base}/configmaps?${search({ count: "true" })}`);
  expect(answer.status).toBe(403);
});

describe("the plan", () => {
  const where = 'self.metadata.labels["app"] == "one" && self.data["n"] != ""';

  beforeAll(async () => {
    for (let n = 0; n < 300; n++)
      await post("/api/v1/namespaces/orch-public/configmaps", {
        metadata: { name: `m${n}`, labels: { app: n % 100 === 0 ? "one" : `other-${n}` } },
        data: { n: String(n) },
      });
  });

  test("uses an index from the second question on, and looks at what it returns alone", async () => {
    await ask("/api/v1/configmaps", { where });
    const answer = await ask("/api/v1/configmaps", { where });
    expect(names(answer)).toEqual(["m0", "m100", "m200"]);
    expect(answer.plan).toMatch(/^index=label:app; examined=3; matched=3; cost=\d+$/);
  });

  test("names an index of any label", async () => {
    const key = `${"x".repeat(193)}\u{1f600}\u{1f600}; a`;
    const strange = { where: `self.metadata.labels["${key}"] == "one"` };
    await ask("/api/v1/configmaps", strange);
    expect((await ask("/api/v1/configmaps", strange)).plan).toMatch(/^index=label:x+[%A-F0-9]*; examined=0;/);
  });

  test("says when everything is looked at", async () => {
    const { plan } = await ask("/api/v1/namespaces/orch-public/configmaps", { where: 'self.data["n"] == "7"' });
    expect(plan).toMatch(/^scan; examined=30\d; matched=1; cost=\d+$/);
  });
});

test("a resource whose objects are made for each read takes no question", async () => {
  expect(await refusal({ count: "true" }, "/api/v1/componentstatuses")).toContain("are made for each read");
});

describe("objects of a definition", () => {
  const definition = (annotations: object) => ({
    apiVersion: "apiextensions.orch.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "things.example.com", annotations },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "things", kind: "Thing" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: {
                spec: { type: "object", properties: { color: { type: "string" }, size: { type: "integer" } } },
              },
            },
          },
        },
      ],
    },
  });
  const definitions = "/apis/apiextensions.orch.io/v1/customresourcedefinitions";
  const things = "/apis/example.com/v1/namespaces/default/things";

  test("have the types of its schema, and indexes that it names", async () => {
    await post(definitions, definition({ "queries.orch.io/indexes": ".spec.color,.spec.size" }));
    await expect.poll(async () => (await server.fetch(things)).status).toBe(200);
    for (let n = 0; n < 250; n++)
      await post(things, {
        apiVersion: "example.com/v1",
        kind: "Thing",
        metadata: { name: `t${n}` },
        spec: n === 7 ? { color: "red" } : { color: `c${n}`, size: n + 1 },
      });
    expect(await refusal({ where: "self.spec.colour == 'red'" }, things)).toContain("undefined field 'colour'");
    const where = { where: 'self.spec.color == "red" && self.metadata.name.startsWith("t")' };
    await ask(things, where);
    expect((await ask(things, where)).plan).toMatch(/^index=field:spec.color; examined=1; matched=1;/);
    await ask(things, { where: "self.spec.size == 0" });
    const zero = await ask(things, { where: "self.spec.size == 0" });
    expect([names(zero), zero.plan]).toEqual([["t7"], expect.stringMatching(/^index=field:spec.size; examined=1;/)]);
    expect((await server.fetch(`${things}?fieldSelector=spec.color%3Dred`)).status).toBe(400);
  });

  test("lose the index with the annotation, which must name paths", async () => {
    const patch = (annotation: string | null) =>
      server.fetch(`${definitions}/things.example.com`, {
        method: "PATCH",
        headers: { "content-type": "application/merge-patch+json" },
        body: JSON.stringify({ metadata: { annotations: { "queries.orch.io/indexes": annotation } } }),
      });
    expect((await patch("spec.color")).status).toBe(422);
    expect((await patch(Array(9).fill(".spec.color").join())).status).toBe(422);
    expect((await patch(null)).status).toBe(200);
    const where = { where: 'self.spec.color == "red"' };
    await expect.poll(async () => (await ask(things, where)).plan).toMatch(/^scan; examined=250; matched=1;/);
  });
});
