/** Controllers of a program against a whole server. */

import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { silentLog } from "../../base/log.ts";
import { createServer, type OrchServer } from "../../main/library.ts";
import {
  addFinalizer,
  type Client,
  ConfigMap,
  connect,
  controller,
  Event,
  generationChanged,
  hasFinalizer,
  healthListener,
  isDeleting,
  Lease,
  Namespace,
  ReplicaSet,
  removeFinalizer,
  runControllers,
  Secret,
  setOwner,
  TryAgain,
  watch,
} from "../orch-client.ts";

let server: OrchServer;
let client: Client;
beforeAll(async () => {
  server = await createServer();
  client = await connect({ server });
});
afterAll(() => server.close());

const soon = { timeout: 60_000, interval: 10 };

test("an object is reconciled when it, what it owns, or what it watches changes", async () => {
  const seen: string[] = [];
  const running = runControllers({
    client,
    controllers: [
      controller({
        for: ConfigMap,
        selection: { labelSelector: "app=copied" },
        owns: [Secret],
        watches: [watch(ConfigMap, ({ metadata }) => (metadata.name === "extra" ? ["default/source"] : []))],
        async reconcile({ object, client, informers, events }) {
          const { name, namespace = "" } = object.metadata;
          const extra = informers.of(ConfigMap).get("default/extra")?.data?.["text"] ?? "";
          const text = `${object.data?.["text"]}${extra}`;
          seen.push(text);
          const secret = { metadata: { name: `${name}-copy`, namespace }, stringData: { text } };
          await client.of(Secret).apply(setOwner(secret, object), { manager: "copier", force: true });
          events.normal("Copied", `copied ${text}`);
          object.data = {}; // the copy is ours
        },
      }),
    ],
  });
  await running.ready;
  const maps = client.of(ConfigMap);
  const copied = async () =>
    Buffer.from((await client.of(Secret).get("source-copy")).data?.["text"] ?? "", "base64").toString();
  await maps.create({ metadata: { name: "source", labels: { app: "copied" } }, data: { text: "a" } });
  await vi.waitFor(async () => expect(await copied()).toBe("a"), soon);
  await client.of(Secret).delete("source-copy");
  await vi.waitFor(async () => expect(await copied()).toBe("a"), soon);
  await maps.create({ metadata: { name: "extra" }, data: { text: "b" } });
  await vi.waitFor(async () => expect(await copied()).toBe("ab"), soon);
  expect(running.metrics()).toContain('workqueue_adds_total{name="configmap-controller"}');
  expect(running.isHealthy()).toBe(true);
  await running.close();
  const events = (await client.of(Event).list({ fieldSelector: "reason=Copied" }).all()).items;
  expect(events[0]?.involvedObject).toMatchObject({ kind: "ConfigMap", name: "source" });
  expect(seen.every((text) => text.startsWith("a"))).toBe(true);
});

test("a failure is tried again, a later look happens, and a finalizer keeps the object until it is cleaned up", async () => {
  let failures = 2;
  let looks = 0;
  const cleaned: unknown[] = [];
  const finalizer = "example.com/clean-up";
  const running = runControllers({
    client,
    log: silentLog,
    controllers: [
      controller({
        for: Lease,
        selection: { labelSelector: "app=kept" },
        async reconcile({ object, client, requeueAfter }) {
          if (failures-- > 0) throw new Error("not yet");
          const leases = client.of(Lease);
          if (isDeleting(object)) {
            if (!hasFinalizer(object, finalizer)) return;
            cleaned.push(object.metadata.name);
            await removeFinalizer(leases, object, finalizer);
            return;
          }
          await addFinalizer(leases, object, finalizer);
          if (++looks < 4) requeueAfter(5);
        },
      }),
    ],
  });
  const leases = client.of(Lease);
  await leases.create({ metadata: { name: "kept", labels: { app: "kept" } } });
  await vi.waitFor(async () => expect((await leases.get("kept")).metadata.finalizers).toEqual([finalizer]), soon);
  await vi.waitFor(() => expect(looks).toBeGreaterThanOrEqual(4), soon);
  await leases.delete("kept");
  await vi.waitFor(async () => expect(await leases.find("kept")).toBeUndefined(), soon);
  expect(cleaned).toEqual(["kept"]);
  await running.close();
});

test("closing does not wait for a server that never answers", async () => {
  const silent = {
    fetch: (_: string, init?: RequestInit) =>
      new Promise<Response>((_resolve, reject) =>
        init?.signal?.addEventListener("abort", () => reject(new Error("aborted"))),
      ),
  };
  const away = await connect({ server: silent, vocabulary: "orch" });
  const running = runControllers({
    client: away,
    controllers: [controller({ for: ConfigMap, reconcile: async () => {} })],
  });
  await running.close();
  await running.ended;
});

test("changes that do not matter are left out, and others come from sources", async () => {
  const looks: string[] = [];
  const named = (name: string) => ({ metadata: { name, labels: { app: "filtered" } } });
  const spec = {
    replicas: 0,
    selector: { matchLabels: { app: "x" } },
    template: { metadata: { labels: { app: "x" } }, spec: { containers: [{ name: "c", image: "i" }] } },
  };
  const sets = client.of(ReplicaSet);
  await sets.create({ ...named("r1"), spec });
  let tell: (target: string) => void = () => {};
  const running = runControllers({
    client,
    log: silentLog,
    controllers: [
      controller({
        for: ReplicaSet,
        selection: { labelSelector: "app=filtered" },
        when: generationChanged,
        sources: [
          (enqueue) => {
            tell = enqueue;
          },
          () => Promise.reject(new Error("a source that fails ends alone")),
        ],
        async reconcile({ object }) {
          looks.push(String(object.metadata.generation));
        },
      }),
    ],
  });
  await running.ready;
  await vi.waitFor(() => expect(looks).toEqual(["1"]), soon);
  await sets.status.patch("r1", { status: { observedGeneration: 1 } });
  await sets.patch("r1", { metadata: { labels: { touched: "yes" } } });
  await sets.patch("r1", { spec: { minReadySeconds: 1 } });
  await vi.waitFor(() => expect(looks).toEqual(["1", "2"]), soon);
  tell("r1");
  await vi.waitFor(() => expect(looks).toEqual(["1", "2", "2"]), soon);
  await running.close();
});

test("objects are looked at again by time, and one that keeps failing is given up", async () => {
  let looks = 0;
  let failures = 0;
  const selection = { labelSelector: "app=timed" };
  const running = runControllers({
    client,
    log: silentLog,
    controllers: [
      controller({
        name: "timed",
        for: ConfigMap,
        selection,
        resyncMs: 20,
        reconcile: async () => {
          looks++;
        },
      }),
      controller({
        name: "failing",
        for: ConfigMap,
        selection,
        retry: { firstMs: 1, longestMs: 2, attempts: 3 },
        async reconcile() {
          failures++;
          throw new Error("always");
        },
      }),
    ],
  });
  await client.of(ConfigMap).create({ metadata: { name: "timed", labels: { app: "timed" } } });
  await vi.waitFor(() => expect(looks).toBeGreaterThan(10), soon);
  expect(failures).toBe(4);
  await running.close();
});

test("probes and Prometheus are answered", async () => {
  const running = runControllers({
    client,
    controllers: [controller({ for: ConfigMap, selection: { labelSelector: "app=none" }, reconcile: async () => {} })],
  });
  let listen = healthListener({ ...running, ready: new Promise(() => {}) });
  const listener = createHttpServer((request, response) => listen(request, response)).listen(0, "127.0.0.1");
  await once(listener, "listening");
  const { port } = listener.address() as AddressInfo; // of a TCP port
  const ask = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
  const codes = async (...paths: string[]) => (await Promise.all(paths.map(ask))).map(({ status }) => status);
  expect(await codes("/healthz", "/readyz")).toEqual([200, 503]);
  listen = healthListener(running);
  await running.ready;
  expect(await codes("/readyz?verbose", "/other")).toEqual([200, 404]);
  expect(await (await ask("/metrics")).text()).toContain("workqueue_depth");
  await running.close();
  expect(await codes("/healthz", "/readyz")).toEqual([503, 503]);
  listener.close();
});

test("a reconcile that takes too long is ended with its requests, counted, and tried again", async () => {
  let isStuck = true;
  const reasons: string[] = [];
  const fetch: OrchServer["fetch"] = (path, init) =>
    String(path).includes("/secrets/slow") && isStuck
      ? new Promise((_resolve, reject) =>
          init?.signal?.addEventListener("abort", () => reject(init.signal?.reason), { once: true }),
        )
      : server.fetch(path, init);
  const warnings: unknown[] = [];
  const log = { ...silentLog, warn: (message: string, fields?: object) => void warnings.push([message, fields]) };
  const running = runControllers({
    client: await connect({ server: { fetch }, vocabulary: "orch" }),
    log,
    controllers: [
      controller({
        name: "hurried",
        for: ConfigMap,
        selection: { labelSelector: "app=hurried" },
        timeoutMs: 50,
        async reconcile({ object, client, requeueAfter }) {
          try {
            await client.of(Secret).find("slow");
          } catch (error) {
            isStuck = false;
            reasons.push((error as Error).message);
            throw error;
          }
          if (object.data?.["again"] === undefined) return;
          if (object.data["again"] === "later") requeueAfter(60_000);
          else throw new TryAgain("not yet");
        },
      }),
    ],
  });
  const maps = client.of(ConfigMap);
  await maps.create({ metadata: { name: "hurried", labels: { app: "hurried" } } });
  const counted = (result: string) => {
    const line = `controller_runtime_reconcile_total{controller="hurried",result="${result}"} `;
    return Number(running.metrics().split(line)[1]?.split("\n")[0] ?? 0);
  };
  await vi.waitFor(() => expect(counted("success")).toBe(1), soon);
  expect([reasons, counted("error")]).toEqual([["the reconcile took longer than 50 ms"], 1]);
  expect(warnings).toContainEqual([
    "the time of a reconcile is over",
    { controller: "hurried", object: "default/hurried", timeoutMs: 50 },
  ]);
  await maps.patch("hurried", { data: { again: "later" } });
  await vi.waitFor(() => expect(counted("requeue_after")).toBe(1), soon);
  await maps.patch("hurried", { data: { again: "now" } });
  await vi.waitFor(() => expect(counted("requeue")).toBeGreaterThan(0), soon);
  expect(counted("error")).toBe(1);
  await running.close();
});

test("a connection of the informers that falls silent is opened again after the time that was chosen", async () => {
  let watches = 0;
  const fetch: OrchServer["fetch"] = (path, init) => {
    if (!String(path).includes("watch=")) return server.fetch(path, init);
    watches++;
    const start = (stream: ReadableStreamDefaultController) =>
      init?.signal?.addEventListener("abort", () => stream.error(init.signal?.reason), { once: true });
    return Promise.resolve(new Response(new ReadableStream({ start })));
  };
  const running = runControllers({
    client: await connect({ server: { fetch }, vocabulary: "orch" }),
    stalledAfterMs: 30,
    controllers: [controller({ for: ConfigMap, reconcile: async () => {} })],
  });
  await vi.waitFor(() => expect(watches).toBeGreaterThan(1), soon);
  await running.close();
});

test("controllers of one namespace read nothing outside it, and kinds without namespaces as a whole", async () => {
  const paths = new Set<string>();
  const fetch: OrchServer["fetch"] = (path, init) => {
    if (String(path).includes("?")) paths.add(String(path).split("?")[0] ?? "");
    return server.fetch(path, init);
  };
  const seen: string[] = [];
  const running = runControllers({
    client: await connect({ server: { fetch }, vocabulary: "orch" }),
    namespace: "here",
    controllers: [
      controller({
        for: Lease,
        owns: [Secret],
        watches: [watch(Namespace, () => []), watch(ConfigMap, () => [], { namespace: "default" })],
        async reconcile({ object }) {
          seen.push(`${object.metadata.namespace}/${object.metadata.name}`);
        },
      }),
    ],
  });
  await client.of(Namespace).create({ metadata: { name: "here" } });
  await client.of(Lease).create({ metadata: { name: "outside" } });
  await client.of(Lease).create({ metadata: { name: "inside", namespace: "here" } });
  await vi.waitFor(() => expect(seen).toEqual(["here/inside"]), soon);
  expect([...paths].sort()).toEqual([
    "/api/v1/namespaces",
    "/api/v1/namespaces/default/configmaps",
    "/api/v1/namespaces/here/secrets",
    "/apis/coordination.orch.io/v1/namespaces/here/leases",
  ]);
  await running.close();
});

test("a failure is seen on standard error where no log is given", async () => {
  const lines: unknown[][] = [];
  const print = vi.spyOn(console, "error").mockImplementation((...line: unknown[]) => void lines.push(line));
  const running = runControllers({
    client,
    controllers: [
      controller({
        name: "loud",
        for: ConfigMap,
        selection: { labelSelector: "app=loud" },
        async reconcile() {
          throw new Error("out of paint");
        },
      }),
    ],
  });
  await client.of(ConfigMap).create({ metadata: { name: "loud", labels: { app: "loud" } } });
  await vi.waitFor(() => expect(lines.length).toBeGreaterThan(0), soon);
  await running.close();
  print.mockRestore();
  const fields = {
    controller: "loud",
    object: "default/loud",
    error: expect.objectContaining({ message: "out of paint" }),
  };
  expect(lines[0]).toEqual(["a controller failed and tries again", fields]);
});
