import { describe, expect, test } from "vitest";
import { createMemoryFetch } from "../../http/transport/memory-exchange.ts";
import { ConfigMap, connect } from "../../kit/orch-client.ts";
import { createServer, type OrchServer } from "../../main/library.ts";
import { createJournal, requestsMax } from "./journal.ts";
import { redactedBytesMax } from "./redact.ts";
import { bodyCharsMax } from "./replay.ts";
import { answeredRequestsMax } from "./route.ts";

const maps = "/api/v1/namespaces/default/configmaps";
const send = (fetch: OrchServer["fetch"], method: string, path: string, body: unknown, type = "application/json") =>
  fetch(path, { method, headers: { "content-type": type }, body: JSON.stringify(body) });

test("records who asked for what, what was answered, and the patch", async () => {
  await using server = await createServer({ controllers: false, journal: true });
  const alice = server.fetchAs({ name: "alice" });
  await send(alice, "POST", maps, { metadata: { name: "a" } });
  await send(alice, "PATCH", `${maps}/a`, { data: { x: "1" } }, "application/merge-patch+json");
  await alice(`${maps}/none`);
  await server.fetch(maps);
  const seen = server.journal.requests({ user: "alice" }).map(({ verb, name, code }) => [verb, name, code]);
  expect(seen).toEqual([
    ["create", "a", 201],
    ["patch", "a", 200],
    ["get", "none", 404],
  ]);
  const [patch] = server.journal.requests({ verb: "patch", resource: "configmaps" });
  expect(patch).toMatchObject({
    body: '{"data":{"x":"1"}}',
    contentType: "application/merge-patch+json",
    namespace: "default",
  });
  expect(patch?.durationMs).toBeGreaterThan(0);
  expect(server.journal.requests()).toHaveLength(4);
  server.journal.clear();
  expect(server.journal.requests()).toEqual([]);
});

test("records refusals of authorization and of faults", async () => {
  await using server = await createServer({ controllers: false, journal: true, authorization: "RBAC" });
  await server.fetchAs({ name: "eve" })("/api/v1/secrets");
  server.faults.add({ do: { status: 503 } });
  await server.fetch("/api/v1/pods");
  expect(server.journal.requests().map(({ user, code }) => [user, code])).toEqual([
    ["eve", 403],
    ["admin", 503],
  ]);
});

test("is off until it is asked for, and says so", async () => {
  await using server = await createServer({ controllers: false });
  await server.fetch("/api/v1/pods");
  expect(() => server.journal.requests()).toThrow("the journal is off");
  server.journal.start();
  await server.fetch("/api/v1/pods");
  expect(server.journal.requests()).toHaveLength(1);
});

test("quiet waits for the end of requests, or names the last ones", async () => {
  await using server = await createServer({ controllers: false, journal: true });
  const bob = server.fetchAs({ name: "bob" });
  await bob("/api/v1/pods");
  await server.journal.quiet({ user: "bob", forMs: 20 });
  const restless = setInterval(() => void bob("/api/v1/nodes"), 1);
  await expect(server.journal.quiet({ user: "bob", forMs: 200, timeoutMs: 300 })).rejects.toThrow(
    /again and again for 300 ms, the last of \d+: bob list \/api\/v1\/nodes/,
  );
  clearInterval(restless);
  await server.settled();
});

test("gives the least role, which then suffices", async () => {
  await using server = await createServer({ controllers: false, journal: true, authorization: "RBAC" });
  const carol = server.fetchAs({ name: "carol", groups: ["system:masters"] });
  const work = async (fetch: OrchServer["fetch"]) => [
    (await send(fetch, "POST", maps, { metadata: { name: "a" } })).status,
    (await fetch(`${maps}/a`)).status,
    (await fetch("/api/v1/nodes")).status,
    (await fetch(`${maps}/a`, { method: "DELETE" })).status,
    (await fetch("/logs")).status,
  ];
  expect(await work(carol)).toEqual([201, 200, 200, 200, 404]);
  const roles = server.journal.role("carol");
  expect(roles.map(({ kind, metadata, rules }) => [kind, metadata.namespace, rules])).toEqual([
    [
      "ClusterRole",
      undefined,
      [
        { apiGroups: [""], resources: ["nodes"], verbs: ["list"] },
        { nonResourceURLs: ["/logs"], verbs: ["get"] },
      ],
    ],
    ["Role", "default", [{ apiGroups: [""], resources: ["configmaps"], verbs: ["create", "delete", "get"] }]],
  ]);
  const plain = server.fetchAs({ name: "carol" });
  expect((await work(plain))[0]).toBe(403);
  const subjects = [{ kind: "User", apiGroup: "rbac.authorization.orch.io", name: "carol" }];
  for (const role of roles) {
    const { namespace } = role.metadata;
    const base = `/apis/${role.apiVersion}${namespace === undefined ? "" : `/namespaces/${namespace}`}`;
    const plural = role.kind === "Role" ? "roles" : "clusterroles";
    const bindings = role.kind === "Role" ? "rolebindings" : "clusterrolebindings";
    expect((await send(server.fetch, "POST", `${base}/${plural}`, role)).status).toBe(201);
    const roleRef = { apiGroup: "rbac.authorization.orch.io", kind: role.kind, name: "carol" };
    const bound = await send(server.fetch, "POST", `${base}/${bindings}`, {
      metadata: { name: "carol" },
      roleRef,
      subjects,
    });
    expect(bound.status).toBe(201);
  }
  expect(await work(plain)).toEqual([201, 200, 200, 200, 404]);
});

for (const emulatedVersion of ["1.21", "1.35"] as const)
  test(`gives who watches the right to list, which a watch needs when it has expired, at ${emulatedVersion}`, async () => {
    await using server = await createServer({ emulatedVersion, controllers: false, journal: true });
    const client = await connect({ server, as: "frank" });
    const informers = client.informers();
    await informers.of(ConfigMap).synced;
    await expect.poll(() => server.journal.requests({ user: "frank", verb: "watch" }).length).toBeGreaterThan(0);
    await informers.close();
    const rules = server.journal.role("frank").flatMap((role) => role.rules);
    expect(rules).toContainEqual({ apiGroups: [""], resources: ["configmaps"], verbs: ["list", "watch"] });
  });

test("keeps the newest requests, and the beginning of long bodies", async () => {
  await using server = await createServer({ controllers: false, journal: true });
  await send(server.fetch, "POST", maps, { metadata: { name: "a" }, data: { x: "y".repeat(2 * bodyCharsMax) } });
  expect(server.journal.requests()[0]?.body).toHaveLength(bodyCharsMax);
  const journal = createJournal({
    isOn: true,
    now: () => 0,
    rolesApiVersion: "v1",
    confidential: { ofResource: () => [], ofKind: () => [] },
  });
  const user = { name: "u", uid: "", groups: [], extra: new Map() };
  const parts = { group: "", version: "v1", resource: "configmaps", subresource: "", namespace: "default" };
  const facts = { ...parts, user, verb: "get", path: maps, isResource: true, trace: undefined };
  await createMemoryFetch(async (exchange) => {
    for (let at = 0; at <= 2 * requestsMax; at++) journal.enter({ ...facts, exchange, name: `n${at}` });
    exchange.send(200, {});
  })(maps);
  expect(journal.requests()).toHaveLength(requestsMax);
  expect(journal.requests().at(-1)?.name).toBe(`n${2 * requestsMax}`);
});

describe("what must not be kept", () => {
  const secrets = "/api/v1/namespaces/default/secrets";
  const base64 = Buffer.from("hunter2").toString("base64");
  const bodies: [what: string, method: string, path: string, body: string, type: string, shown: string][] = [
    [
      "a new secret",
      "POST",
      secrets,
      JSON.stringify({
        metadata: {
          name: "a",
          annotations: { team: "web", "x/last-applied-configuration": `{"data":{"k":"${base64}"}}` },
        },
        data: { k: base64 },
        stringData: { p: "hunter2" },
        type: "Opaque",
      }),
      "application/json",
      '{"metadata":{"name":"a","annotations":{"team":"web","x/last-applied-configuration":"***"}},"data":{"k":"***"},"stringData":{"p":"***"},"type":"Opaque"}',
    ],
    ["YAML", "POST", secrets, "metadata: {name: y}\nstringData: {p: hunter2}", "application/yaml", "***"],
    [
      "a merge patch",
      "PATCH",
      `${secrets}/a`,
      `{"data":{"k":"${base64}"}}`,
      "application/merge-patch+json",
      '{"data":{"k":"***"}}',
    ],
    [
      "a JSON patch",
      "PATCH",
      `${secrets}/a`,
      `[{"op":"add","path":"/data/k","value":"${base64}"},{"op":"add","path":"/metadata/labels","value":{"a":"b"}}]`,
      "application/json-patch+json",
      '[{"op":"add","path":"/data/k","value":"***"},{"op":"add","path":"/metadata/labels","value":{"a":"b"}}]',
    ],
    [
      "an apply",
      "PATCH",
      `${secrets}/c?fieldManager=m`,
      'apiVersion: v1\nkind: Secret\nstringData: {p: "hunter2"}',
      "application/apply-patch+yaml",
      "***",
    ],
    ["what is not an object", "POST", secrets, '{"data":{"k":"hunter2"', "application/json", "***"],
    [
      "a token that is reviewed",
      "POST",
      "/apis/authentication.orch.io/v1/tokenreviews",
      '{"spec":{"token":"hunter2"}}',
      "application/json",
      '{"spec":{"token":"***"}}',
    ],
    [
      "a token in the body of another resource",
      "POST",
      "/api/v1/namespaces/default/serviceaccounts/default/token",
      '{"apiVersion":"authentication.orch.io/v1","kind":"TokenRequest","spec":{},"status":{"token":"hunter2"}}',
      "application/json",
      '{"apiVersion":"authentication.orch.io/v1","kind":"TokenRequest","spec":{},"status":{"token":"***"}}',
    ],
  ];
  test.each(bodies)("%s is hidden when it is recorded", async (_what, method, path, body, type, shown) => {
    await using server = await createServer({ controllers: false, journal: true });
    await send(server.fetch, "POST", secrets, { metadata: { name: "a" } }).then(() => server.journal.clear());
    await server.fetch(path, { method, headers: { "content-type": type }, body });
    const [entry] = server.journal.requests();
    expect(entry).toMatchObject({ body: shown, isRedacted: true });
    const kept = JSON.stringify(server.journal.requests());
    expect(kept.includes("hunter2") || kept.includes(base64)).toBe(false);
  });

  test("a secret's values are not among its changes, nor among those of admission, and no replay sends it", async () => {
    await using server = await createServer({ controllers: false, journal: true });
    await using other = await createServer({ controllers: false });
    await send(server.fetch, "POST", secrets, { metadata: { name: "a" }, data: { k: base64 } });
    await send(
      server.fetch,
      "PATCH",
      `${secrets}/a`,
      { stringData: { k: "hunter2!" } },
      "application/merge-patch+json",
    );
    const [, patch] = server.journal.requests();
    expect(patch?.changes?.fields).toContainEqual({ field: "data.k", before: "***", after: "***" });
    expect(JSON.stringify(server.journal.requests())).not.toMatch(/hunter2|aHVudGVy/);
    expect((await server.journal.replay(other.fetch)).map(({ code }) => code)).toEqual([0, 0]);
  });

  test("values in queries are hidden, but for those that say how a request is meant", async () => {
    await using server = await createServer({ controllers: false, journal: true });
    await server.fetch(`${maps}?limit=5&labelSelector=a%3Db&token=hunter2&pretty`);
    await server.fetch("/api/v1/namespaces/default/pods/p/exec?container=c&command=login&command=hunter2");
    await server.fetch("/api/v1/namespaces/default/services/s/proxy/x?limit=hunter2");
    expect(server.journal.requests().map(({ target }) => target.split("?")[1])).toEqual([
      "limit=5&labelSelector=a%3Db&token=***&pretty",
      "container=c&command=***&command=***",
      "limit=***",
    ]);
  });

  test("a body that is too long to be looked at is hidden as a whole", async () => {
    await using server = await createServer({ controllers: false, journal: true });
    const data = { k: Buffer.alloc(redactedBytesMax, "x").toString("base64") };
    expect((await send(server.fetch, "POST", secrets, { metadata: { name: "a" }, data })).status).toBe(201);
    expect(server.journal.requests()[0]).toMatchObject({ body: "***", isRedacted: true });
  });
});

for (const vocabulary of ["orch", "kubernetes"] as const)
  test(`replays the writes of a user on another server, with the names of ${vocabulary}`, async () => {
    await using server = await createServer({ vocabulary, controllers: false, journal: true });
    await using other = await createServer({ vocabulary, controllers: false });
    const dora = server.fetchAs({ name: "dora" });
    await send(dora, "POST", maps, { metadata: { name: "a" }, data: { x: "1" } });
    await send(dora, "PATCH", `${maps}/a`, { data: { y: "2" } }, "application/merge-patch+json");
    const applied = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "b" }, data: { z: "3" } };
    await send(dora, "PATCH", `${maps}/b?fieldManager=dora`, applied, "application/apply-patch+yaml");
    await dora(maps);
    await send(dora, "POST", maps, { metadata: { name: "long" }, data: { x: "y".repeat(bodyCharsMax) } });
    await dora(`${maps}/none`, { method: "DELETE" });
    await send(server.fetch, "POST", maps, { metadata: { name: "of-another" } });
    const replayed = await server.journal.replay(other.fetch, { user: "dora" });
    expect(replayed.map(({ entry, code }) => [entry.verb, entry.name, code])).toEqual([
      ["create", "a", 201],
      ["patch", "a", 200],
      ["patch", "b", 201],
      ["create", "long", 0],
      ["delete", "none", 404],
    ]);
    const { items } = (await (await other.fetch(maps)).json()) as { items: { data: unknown }[] };
    expect(items.map(({ data }) => data)).toEqual([{ x: "1", y: "2" }, { z: "3" }]);
  });

test("is read over HTTP: what matches, what came later, and no request of its own", async () => {
  await using server = await createServer({ controllers: false, journal: true });
  await using off = await createServer({ controllers: false });
  const read = async (query = "") => {
    const answer = await server.fetch(`/journal${query}`);
    const { requests } = (await answer.json()) as { requests: { number: number; verb: string; code: number }[] };
    return requests.map(({ number, verb, code }) => [number, verb, code]);
  };
  const stop = new AbortController();
  await server.fetch(`${maps}?watch=true`, { signal: stop.signal });
  await send(server.fetchAs({ name: "alice" }), "POST", maps, { metadata: { name: "a" } });
  await server.fetch(maps);
  expect(await read()).toEqual([
    [1, "watch", 0],
    [2, "create", 201],
    [3, "list", 200],
  ]);
  expect(await read("?user=alice&resource=configmaps")).toEqual([[2, "create", 201]]);
  expect(await read("?after=2")).toEqual([[3, "list", 200]]);
  const codeOf = async (path: string, method = "GET") => (await server.fetch(path, { method })).status;
  expect([await codeOf("/journal?after=x"), await codeOf("/journal?who=me"), await codeOf("/journal", "POST")]).toEqual(
    [400, 400, 405],
  );
  expect([await codeOf("/journal", "DELETE"), await read()]).toEqual([200, []]);
  expect((await off.fetch("/journal")).status).toBe(404);
  for (let at = 0; at <= answeredRequestsMax; at++) await server.fetch("/api/v1/nodes/none");
  expect([(await read()).length, (await read("?after=1003")).length]).toEqual([answeredRequestsMax, 1]);
  stop.abort();
});
