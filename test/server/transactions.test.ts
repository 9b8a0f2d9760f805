/** Several operations in one request: all are stored at once, or none is. */

import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { transactionAnswerBytesMax } from "../../src/http/transactions/run-transaction.ts";
import { createServer, type OrchServer } from "../../src/main/library.ts";

const path = "/apis/batch.orch.io/v1alpha1/transactions";
const json = { "content-type": "application/json" };

interface Answer {
  readonly status: number;
  readonly body: {
    readonly kind: string;
    readonly reason?: string;
    readonly message?: string;
    readonly details?: { readonly causes?: readonly { readonly field: string }[] };
    readonly status: { readonly results: readonly { readonly code: number; readonly object: ApiObject }[] };
  };
  readonly warning: string | null;
}
interface ApiObject {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly deletionTimestamp?: string;
    readonly managedFields?: readonly { readonly manager: string }[];
  };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
}

let server: OrchServer;
let count = 0;
/** A namespace of its own for each test. */
async function room(): Promise<string> {
  const name = `room-${++count}`;
  await post("/api/v1/namespaces", { metadata: { name } });
  return name;
}

type Fetch = typeof server.fetch;

async function send(operations: readonly unknown[], query = "", fetch: Fetch = server.fetch): Promise<Answer> {
  const body = JSON.stringify({ apiVersion: "batch.orch.io/v1alpha1", kind: "Transaction", spec: { operations } });
  const answer = await fetch(`${path}${query}`, { method: "POST", headers: json, body });
  const text = await answer.text();
  return { status: answer.status, body: JSON.parse(text), warning: answer.headers.get("warning") };
}

async function post(at: string, object: object): Promise<ApiObject> {
  const answer = await server.fetch(at, { method: "POST", headers: json, body: JSON.stringify(object) });
  expect(answer.status, await answer.clone().text()).toBe(201);
  return (await answer.json()) as ApiObject;
}

async function get(at: string): Promise<ApiObject | undefined> {
  const answer = await server.fetch(at);
  return answer.status === 200 ? ((await answer.json()) as ApiObject) : undefined;
}

const map = (namespace: string, name: string, data: Record<string, string> = {}, more: object = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { namespace, name, ...more },
  data,
});
const maps = (namespace: string) => `/api/v1/namespaces/${namespace}/configmaps`;
const pod = (namespace: string, name: string, more: object = {}) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { namespace, name },
  spec: { containers: [{ name: "c", image: "i" }], ...more },
});

beforeAll(async () => {
  server = await createServer();
});
afterAll(() => server.close());

describe("a transaction", () => {
  test("stores creates, updates, patches, applies and deletes together, and answers each", async () => {
    const ns = await room();
    for (const name of ["updated", "patched", "applied", "deleted"]) await post(maps(ns), map(ns, name, { a: "1" }));
    const { status, body } = await send([
      { operation: "create", object: map(ns, "created", { a: "2" }) },
      { operation: "update", object: map(ns, "updated", { a: "2" }) },
      { operation: "patch", object: map(ns, "patched"), patch: { data: { b: "2" } } },
      { operation: "apply", object: map(ns, "applied", { c: "2" }), fieldManager: "me" },
      { operation: "delete", object: map(ns, "deleted") },
    ]);
    expect(status).toBe(200);
    expect(body.kind).toBe("Transaction");
    expect(body.status.results.map(({ code }) => code)).toEqual([201, 200, 200, 200, 200]);
    const stored = await Promise.all(
      ["created", "updated", "patched", "applied", "deleted"].map((name) => get(`${maps(ns)}/${name}`)),
    );
    expect(stored.map((object) => object?.data)).toEqual([
      { a: "2" },
      { a: "2" },
      { a: "1", b: "2" },
      { a: "1", c: "2" },
      undefined,
    ]);
    // What was answered is what is stored, down to the version.
    expect(body.status.results.slice(0, 4).map(({ object }) => object)).toEqual(stored.slice(0, 4));
    const versions = body.status.results.slice(0, 4).map(({ object }) => Number(object.metadata.resourceVersion));
    expect(versions).toEqual([0, 1, 2, 3].map((step) => versions[0]! + step));
    expect(stored[3]?.metadata.managedFields?.map(({ manager }) => manager)).toContain("me");
  });

  test("stores nothing when one operation fails, and says which one", async () => {
    const ns = await room();
    const old = await post(maps(ns), map(ns, "old", { a: "1" }));
    const { status, body } = await send([
      { operation: "create", object: map(ns, "new") },
      { operation: "delete", object: map(ns, "old") },
      { operation: "create", object: { ...map(ns, "bad"), data: { "not a key!": "x" } } },
      { operation: "create", object: map(ns, "later") },
    ]);
    expect([status, body.reason]).toEqual([422, "Invalid"]);
    expect(body.message).toMatch(/^spec\.operations\[2\] \(create configmaps "bad"\): .*not a key!/);
    expect(body.details?.causes?.[0]).toMatchObject({ reason: "OperationFailed", field: "spec.operations[2]" });
    expect(await get(`${maps(ns)}/old`)).toEqual(old);
    expect(await get(`${maps(ns)}/new`)).toBeUndefined();
    expect(await get(`${maps(ns)}/later`)).toBeUndefined();
  });

  test("refuses what a single request would refuse, in its words", async () => {
    const ns = await room();
    const { metadata } = await post(maps(ns), map(ns, "there"));
    const refusal = async (operation: object) => {
      const { status, body } = await send([{ operation: "create", object: map(ns, "other") }, operation]);
      return [status, body.reason, body.message?.replace(/^.*?: /, "")];
    };
    expect(await refusal({ operation: "create", object: map(ns, "there") })).toEqual([
      409,
      "AlreadyExists",
      'configmaps "there" already exists',
    ]);
    const stale = { operation: "update", object: map(ns, "there", {}, { resourceVersion: "1" }) };
    expect((await refusal(stale)).slice(0, 2)).toEqual([409, "Conflict"]);
    expect(await refusal({ operation: "patch", object: map(ns, "gone"), patch: {} })).toEqual([
      404,
      "NotFound",
      'configmaps "gone" not found',
    ]);
    const options = { preconditions: { uid: "another" } };
    const other = { operation: "delete", object: map(ns, "there"), options };
    expect((await refusal(other)).slice(0, 2)).toEqual([409, "Conflict"]);
    expect(await refusal({ operation: "create", object: map("nowhere", "x") })).toEqual([
      404,
      "NotFound",
      'namespaces "nowhere" not found',
    ]);
    expect((await get(`${maps(ns)}/there`))?.metadata).toEqual(metadata);
    expect(await get(`${maps(ns)}/other`)).toBeUndefined();
  });

  test("lets each operation see those before it", async () => {
    const ns = `room-${++count}`;
    const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { namespace: ns, name: "default" } };
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: ns } };
    const early = await send([
      { operation: "create", object: map(ns, "a") },
      { operation: "create", object: namespace },
    ]);
    expect([early.status, early.body.message]).toEqual([
      404,
      expect.stringContaining('spec.operations[0] (create configmaps "a"): namespaces'),
    ]);
    const withoutAccount = await send([
      { operation: "create", object: namespace },
      { operation: "create", object: pod(ns, "p") },
    ]);
    expect(withoutAccount.body.message).toContain(`no service account ${ns}/default`);
    for (const query of ["?dryRun=All", ""]) {
      const { status, body } = await send(
        [
          { operation: "create", object: namespace },
          { operation: "create", object: account },
          { operation: "create", object: pod(ns, "p") },
        ],
        query,
      );
      expect([status, body.message]).toEqual([200, undefined]);
      const stored = await get(`/api/v1/namespaces/${ns}/pods/p`);
      expect(stored?.spec?.["serviceAccountName"]).toBe(query === "" ? "default" : undefined);
    }
    const { body } = await send([
      { operation: "delete", object: account },
      { operation: "create", object: pod(ns, "q") },
    ]);
    expect(body.message).toContain(`no service account ${ns}/default`);
  });

  test("changes subresources, and removes an object at once that would be marked first", async () => {
    const ns = await room();
    await post(`/api/v1/namespaces/${ns}/serviceaccounts`, { metadata: { name: "default" } }).catch(() => undefined);
    for (const name of ["a", "b"]) await post(`/api/v1/namespaces/${ns}/pods`, pod(ns, name));
    const { status, body } = await send([
      { operation: "patch", object: pod(ns, "a"), subresource: "status", patch: { status: { phase: "Running" } } },
      { operation: "delete", object: pod(ns, "b"), options: { gracePeriodSeconds: 0 } },
    ]);
    expect([status, body.message]).toEqual([200, undefined]);
    expect((await get(`/api/v1/namespaces/${ns}/pods/a`))?.status?.["phase"]).toBe("Running");
    expect(await get(`/api/v1/namespaces/${ns}/pods/b`)).toBeUndefined();
  });

  test("is shown to watchers whole and in order", async () => {
    const ns = await room();
    const labels = { watched: "yes" };
    const { metadata } = await post(maps(ns), map(ns, "old", {}, { labels }));
    const stop = new AbortController();
    const watch = await server.fetch(
      `${maps(ns)}?watch=1&labelSelector=watched&resourceVersion=${metadata.resourceVersion}`,
      {
        signal: stop.signal,
      },
    );
    await send([
      { operation: "create", object: map(ns, "b", {}, { labels }) },
      { operation: "delete", object: map(ns, "old") },
      { operation: "create", object: map(ns, "a", {}, { labels }) },
    ]);
    const reader = watch.body!.getReader();
    let text = "";
    while (text.split("\n").length < 4) text += new TextDecoder().decode((await reader.read()).value);
    stop.abort();
    const events = text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { type: string; object: ApiObject });
    expect(events.map(({ type, object }) => [type, object.metadata.name])).toEqual([
      ["ADDED", "b"],
      ["DELETED", "old"],
      ["ADDED", "a"],
    ]);
  });

  test("is one call of a server in the process", async () => {
    const ns = await room();
    const [result] = await server.transaction([{ operation: "create", object: map(ns, "called") }]);
    expect([result?.code, result?.object]).toEqual([201, await get(`${maps(ns)}/called`)]);
    const dry = await server.transaction([{ operation: "delete", object: map(ns, "called") }], { dryRun: true });
    expect(dry[0]?.code).toBe(200);
    const again = server.transaction([{ operation: "create", object: map(ns, "called") }]);
    await expect(again).rejects.toMatchObject({ reason: "AlreadyExists" });
  });

  test("is charged to quotas, which get it back when nothing is stored", async () => {
    const ns = await room();
    const quotas = `/api/v1/namespaces/${ns}/resourcequotas`;
    await post(quotas, { metadata: { name: "q" }, spec: { hard: { services: "2" } } });
    await vi.waitFor(async () => expect((await get(`${quotas}/q`))?.status?.["used"]).toBeDefined());
    const service = (name: string) => ({
      operation: "create",
      object: { apiVersion: "v1", kind: "Service", metadata: { namespace: ns, name }, spec: { ports: [{ port: 80 }] } },
    });
    const refused = await send([service("a"), service("b"), service("c")]);
    expect([refused.status, refused.body.message]).toEqual([
      403,
      expect.stringMatching(/spec\.operations\[2\] \(create services "c"\): .*exceeded quota: q/),
    ]);
    const { status, body } = await send([service("a"), service("b")]);
    expect([status, body.message]).toEqual([200, undefined]);
    const addresses = body.status.results.map(({ object }) => object.spec?.["clusterIP"]);
    expect(new Set(addresses).size).toBe(2);
    expect((await send([service("c")])).status).toBe(403);
  });

  test("with nothing to change stores nothing, and answers the objects", async () => {
    const ns = await room();
    const old = await post(maps(ns), map(ns, "same", { a: "1" }));
    const { status, body } = await send([{ operation: "patch", object: map(ns, "same"), patch: { data: { a: "1" } } }]);
    expect(status).toBe(200);
    expect(body.status.results[0]?.object).toEqual(old);
  });
});

describe("what a transaction expects", () => {
  test("is checked when all is stored", async () => {
    const ns = await room();
    const { metadata } = await post(maps(ns), map(ns, "read"));
    const write = { operation: "create", object: map(ns, "written") };
    const expecting = (more: object, absent?: boolean) => ({
      operation: "expect",
      object: { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace: ns, name: "read", ...more } },
      ...(absent === undefined ? {} : { absent }),
    });
    for (const wrong of [{ resourceVersion: "1" }, { uid: "another" }]) {
      const { status, body } = await send([expecting(wrong), write]);
      expect([status, body.reason]).toEqual([409, "Conflict"]);
      expect(body.message).toContain('configmaps "read" is not as expected');
    }
    expect((await send([expecting({}, true), write])).status).toBe(409);
    expect((await send([expecting({ name: "missing" }), write])).status).toBe(404);
    expect(await get(`${maps(ns)}/written`)).toBeUndefined();
    const { resourceVersion, uid } = metadata;
    const { status, body } = await send([
      expecting({ resourceVersion, uid }),
      expecting({ name: "missing" }, true),
      write,
    ]);
    expect([status, body.status.results.map(({ code }) => code)]).toEqual([200, [200, 200, 201]]);
    expect((await get(`${maps(ns)}/read`))?.metadata.resourceVersion).toBe(resourceVersion);
  });

  test("holds for an object that the transaction changes too", async () => {
    const ns = await room();
    const { metadata } = await post(maps(ns), map(ns, "a"));
    const about = { apiVersion: "v1", kind: "ConfigMap", metadata: { ...metadata, namespace: ns, name: "a" } };
    const change = { operation: "patch", object: map(ns, "a"), patch: { data: { n: "1" } } };
    expect((await send([{ operation: "expect", object: about }, change])).status).toBe(200);
    expect((await send([{ operation: "expect", object: about }, change])).status).toBe(409);
  });
});

describe("transactions that meet", () => {
  test("begin anew, so that each patch counts", async () => {
    const ns = await room();
    for (const name of ["a", "b", "c"]) await post(maps(ns), map(ns, name));
    const all = await Promise.all(
      Array.from({ length: 6 }, (_, at) =>
        send(
          ["a", "b", "c"].map((_name, step) => ({
            operation: "patch",
            object: map(ns, ["a", "b", "c"][(at + step) % 3]!),
            patch: { data: { [`k${at}`]: "x" } },
          })),
        ),
      ),
    );
    const done = all.flatMap(({ status }, at) => (status === 200 ? [`k${at}`] : []));
    for (const { status } of all) expect([200, 409]).toContain(status);
    expect(done.length).toBeGreaterThan(0);
    for (const name of ["a", "b", "c"])
      expect(Object.keys((await get(`${maps(ns)}/${name}`))?.data ?? {}).sort()).toEqual([...done].sort());
  });

  test("keep the sum of what they move between objects", async () => {
    const ns = await room();
    const names = ["a", "b", "c", "d"];
    for (const name of names) await post(maps(ns), map(ns, name, { n: "0" }));
    let isDone = false;
    const move = async (worker: number) => {
      for (let round = 0; round < 6; round += 1) {
        const [from, to] = [names[(worker + round) % 4]!, names[(worker + round + 1) % 4]!];
        const found = await Promise.all([from, to].map((name) => get(`${maps(ns)}/${name}`)));
        const [one, other] = found.map((object) => Number(object?.data?.["n"]));
        await send([
          { operation: "update", object: { ...map(ns, from), ...found[0], data: { n: String(one! - 1) } } },
          { operation: "update", object: { ...map(ns, to), ...found[1], data: { n: String(other! + 1) } } },
        ]);
      }
    };
    const watching = (async () => {
      while (!isDone) {
        const { items } = (await (await server.fetch(maps(ns))).json()) as { items: ApiObject[] };
        expect(items.reduce((sum, { data }) => sum + Number(data?.["n"] ?? 0), 0)).toBe(0);
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    await Promise.all([0, 1, 2].map(move)).finally(() => {
      isDone = true;
    });
    await watching;
  });
});

describe("a transaction is refused", () => {
  const refused = async (operations: readonly unknown[]) => {
    const { status, body } = await send(operations);
    return [status, body.message];
  };
  test("when it is not a list of operations on objects", async () => {
    const ns = await room();
    const some = map(ns, "a");
    expect(await refused([])).toEqual([400, "spec.operations must be a list of operations"]);
    expect(await refused([{ operation: "replace", object: some }])).toEqual([
      400,
      "spec.operations[0].operation must be one of create, update, apply, patch, delete, expect",
    ]);
    expect(await refused([{ operation: "create", object: some, patches: {} }])).toEqual([
      400,
      'spec.operations[0]: unknown field "patches"',
    ]);
    expect(await refused([{ operation: "update", object: { ...some, metadata: { namespace: ns } } }])).toEqual([
      400,
      "spec.operations[0].object.metadata.name is required",
    ]);
    expect(await refused([{ operation: "create", object: { ...some, kind: "Confetti" } }])).toEqual([
      400,
      "spec.operations[0].object: there is no kind Confetti of v1",
    ]);
    const answer = await server.fetch(path, { method: "POST", headers: json, body: "{}" });
    expect(answer.status).toBe(400);
    const yaml = { "content-type": "application/yaml" };
    expect((await server.fetch(path, { method: "POST", headers: yaml, body: "{}" })).status).toBe(406);
    expect((await server.fetch(path)).status).toBe(404);
  });

  test("when it changes one object twice, or more than the limit", async () => {
    const ns = await room();
    const create = (name: string) => ({ operation: "create", object: map(ns, name) });
    expect(await refused([create("a"), { operation: "delete", object: map(ns, "a") }])).toEqual([
      400,
      "spec.operations[1]: spec.operations[0] changes the same object, and a transaction can change an object only once",
    ]);
    const many = (size: number) => Array.from({ length: size }, (_, at) => create(`m${at}`));
    expect(await refused(many(129))).toEqual([400, "spec.operations must not have more than 128 operations"]);
    const { status, body } = await send(many(128));
    expect([status, body.status.results.length]).toEqual([200, 128]);
    const large = (name: string) => ({ operation: "create", object: map(ns, name, { a: "x".repeat(600_000) }) });
    expect(await refused([large("l1"), large("l2")])).toEqual([413, expect.stringContaining("1048576 bytes")]);
    expect(await get(`${maps(ns)}/l1`)).toBeUndefined();
  });

  test("when what it answers without storing it is large", async () => {
    const namespace = await room();
    const names = Array.from({ length: 5 }, (_, at) => `large-${at}`);
    for (const name of names)
      await post(`/api/v1/namespaces/${namespace}/configmaps`, {
        metadata: { name },
        data: { text: "x".repeat(1_000_000) },
      });
    const unchanged = names.map((name) => ({
      operation: "patch",
      object: { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace, name } },
      patch: {},
    }));
    const created = {
      operation: "create",
      object: { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace, name: "a" } },
    };
    const { status, body } = await send([created, ...unchanged]);
    expect([status, body.message]).toEqual([
      413,
      expect.stringContaining(`at most ${transactionAnswerBytesMax} bytes`),
    ]);
    expect(await get(`/api/v1/namespaces/${namespace}/configmaps/a`)).toBeUndefined();
    expect((await send(unchanged, "?dryRun=All")).status).toBe(413);
    expect((await send([created, ...unchanged.slice(1)])).status).toBe(200);
  });

  test("when an operation is an action and not a write", async () => {
    const ns = await room();
    const review = { apiVersion: "authorization.k8s.io/v1", kind: "SelfSubjectAccessReview", metadata: {} };
    for (const object of [review, { ...review, apiVersion: "authorization.orch.io/v1" }])
      expect((await send([{ operation: "create", object }])).status).toBe(400);
    const eviction = { operation: "update", object: pod(ns, "p"), subresource: "eviction" };
    expect((await refused([eviction]))[1]).toContain("pods/eviction cannot be part of a transaction");
  });
});

describe("the rights to a transaction", () => {
  test("are those to its operations", async () => {
    const guarded = await createServer({ authorization: "RBAC" });
    try {
      const admin = guarded.fetch;
      const make = async (at: string, object: object) =>
        expect((await admin(at, { method: "POST", headers: json, body: JSON.stringify(object) })).status).toBe(201);
      await make("/apis/rbac.authorization.orch.io/v1/namespaces/default/roles", {
        metadata: { name: "maker" },
        rules: [{ apiGroups: [""], resources: ["configmaps"], verbs: ["create", "get"] }],
      });
      await make("/apis/rbac.authorization.orch.io/v1/namespaces/default/rolebindings", {
        metadata: { name: "maker" },
        roleRef: { apiGroup: "rbac.authorization.orch.io", kind: "Role", name: "maker" },
        subjects: [{ apiGroup: "rbac.authorization.orch.io", kind: "User", name: "ann" }],
      });
      const fetch = guarded.fetchAs({ name: "ann" });
      const create = { operation: "create", object: map("default", "a") };
      const refused = await send([create, { operation: "delete", object: map("default", "b") }], "", fetch);
      expect([refused.status, refused.body.message]).toEqual([
        403,
        expect.stringMatching(/^spec\.operations\[1\] \(delete configmaps "b"\): .*User "ann" cannot delete/),
      ]);
      expect((await admin(`${maps("default")}/a`)).status).toBe(404);
      expect((await send([create], "", fetch)).status).toBe(200);
      // An apply of a missing object needs the right to create it, and to patch.
      const apply = { operation: "apply", object: map("default", "c"), fieldManager: "x" };
      expect((await send([apply], "", fetch)).status).toBe(403);
      expect((await send([{ operation: "expect", object: map("kube-system", "c") }], "", fetch)).status).toBe(403);
    } finally {
      await guarded.close();
    }
  });
});
