/** Informers over a real connection that is cut, paused or silent, to servers that end, restart and forget. */

import { mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, connect as connectTcp, createServer as createTcpServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { type CreateServerOptions, createServer, type OrchServer } from "../main/library.ts";
import { type Client, ConfigMap, connect, type Informer } from "./orch-client.ts";

const soon = { timeout: 60_000, interval: 10 };
const cleanups: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** A connection between client and server that a test can break. */
interface Proxy {
  readonly port: number;
  /** Where new connections lead. */
  target: number;
  /** How many were opened. */
  count: number;
  /** Nothing passes through the open connections any more, and neither side is told. */
  silence(): void;
  /** The same for new connections, until `resume`, which lets all of them pass again. */
  pause(): void;
  resume(): void;
}

async function openProxy(target: number): Promise<Proxy> {
  const open = new Set<Socket>();
  let isPaused = false;
  const waiting: (() => void)[] = [];
  const server = createTcpServer((near) => {
    proxy.count++;
    const begin = () => {
      const far = connectTcp(proxy.target, "127.0.0.1");
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        open.add(one);
        one.on("data", (chunk) => other.write(chunk));
        one.on("error", () => other.destroy());
        one.on("close", () => {
          open.delete(one);
          other.destroy();
        });
      }
    };
    near.on("error", () => {});
    if (isPaused) waiting.push(begin);
    else begin();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanups.push(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  const proxy: Proxy = {
    port: (server.address() as AddressInfo).port, // of a TCP port
    target,
    count: 0,
    silence() {
      for (const socket of open) socket.pause();
    },
    pause() {
      isPaused = true;
      proxy.silence();
    },
    resume() {
      isPaused = false;
      for (const socket of open) socket.resume();
      for (const begin of waiting.splice(0)) begin();
    },
  };
  return proxy;
}

const tokens = { secret: { name: "admin", groups: ["system:masters"] } };

async function openServer(options: CreateServerOptions = {}): Promise<{ server: OrchServer; port: number }> {
  const server = await createServer({ controllers: false, tokens, ...options });
  const port = Number(new URL(await server.listen()).port);
  return { server, port };
}

interface Followed {
  readonly client: Client;
  readonly informer: Informer<ConfigMap>;
  /** What handlers were told: "add a", "update a", "delete a". */
  readonly told: string[];
}

async function follow(proxy: Proxy, stalledAfterMs: number): Promise<Followed> {
  const client = await connect({
    server: `https://127.0.0.1:${proxy.port}`,
    token: "secret",
    insecureSkipTlsVerify: true,
    vocabulary: "orch",
  });
  const informers = client.informers({ stalledAfterMs });
  cleanups.push(async () => {
    await informers.close();
    client.close();
  });
  const informer = informers.of(ConfigMap, { labelSelector: "app=followed" });
  const told: string[] = [];
  informer.on({
    add: ({ metadata }) => void told.push(`add ${metadata.name}`),
    update: ({ metadata }) => void told.push(`update ${metadata.name}`),
    delete: ({ metadata }) => void told.push(`delete ${metadata.name}`),
  });
  await informer.synced;
  return { client, informer, told };
}

const mapsOf = async (server: OrchServer) => (await connect({ server })).of(ConfigMap);
const map = (name: string, text = "") => ({ metadata: { name, labels: { app: "followed" } }, data: { text } });
const namesOf = (informer: Informer<ConfigMap>) => informer.list().map(({ metadata }) => metadata.name);

for (const emulatedVersion of ["1.21", "1.35"] as const)
  test(`level ${emulatedVersion}: a connection that falls silent is noticed, and nothing is missed or told twice`, async () => {
    const { server, port } = await openServer({ emulatedVersion });
    cleanups.push(() => server.close());
    const maps = await mapsOf(server);
    await maps.create(map("a"));
    const proxy = await openProxy(port);
    const { informer, told } = await follow(proxy, 400);
    const before = proxy.count;
    proxy.silence();
    await maps.create(map("b"));
    await maps.delete("a");
    await vi.waitFor(() => expect(namesOf(informer)).toEqual(["b"]), soon);
    expect(told).toEqual(["add a", "add b", "delete a"]);
    expect(proxy.count).toBeGreaterThan(before);
  });

test("a network that is paused as a whole is waited for", async () => {
  const { server, port } = await openServer();
  cleanups.push(() => server.close());
  const maps = await mapsOf(server);
  const proxy = await openProxy(port);
  const { informer } = await follow(proxy, 300);
  proxy.pause();
  await maps.create(map("a"));
  await new Promise((resolve) => setTimeout(resolve, 1_000)); // several tries, which all stall
  expect(namesOf(informer)).toEqual([]);
  proxy.resume();
  await vi.waitFor(() => expect(namesOf(informer)).toEqual(["a"]), soon);
});

test("a server that was killed and started again with its store is followed on", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "orch-informers-"));
  cleanups.push(() => rmSync(dataDir, { recursive: true, force: true }));
  const first = await openServer({ dataDir });
  await (await mapsOf(first.server)).create(map("a", "1"));
  const proxy = await openProxy(first.port);
  const { informer, told } = await follow(proxy, 60_000);
  proxy.silence(); // what a killed machine leaves behind; the close below is noticed only by its server
  await first.server.close();
  const second = await openServer({ dataDir });
  cleanups.push(() => second.server.close());
  proxy.target = second.port;
  proxy.resume();
  await (await mapsOf(second.server)).update(map("a", "2"));
  await vi.waitFor(() => expect(informer.get("default/a")?.data).toEqual({ text: "2" }), soon);
  expect(told).toEqual(["add a", "update a"]);
});

test("a server that has forgotten the history is read again, and what was deleted meanwhile is told", async () => {
  const { server, port } = await openServer();
  cleanups.push(() => server.close());
  const maps = await mapsOf(server);
  await maps.create(map("a"));
  await maps.create(map("b"));
  const proxy = await openProxy(port);
  const { informer, told } = await follow(proxy, 400);
  const fault = server.faults.add({ match: { verb: "watch", resource: "configmaps" }, do: { expireAfterEvents: 0 } });
  proxy.silence(); // so that it watches again
  await maps.delete("b");
  await maps.create(map("c"));
  await vi.waitFor(() => expect(fault.hits).toBeGreaterThan(0), soon);
  fault.remove();
  await vi.waitFor(() => expect(namesOf(informer).sort()).toEqual(["a", "c"]), soon);
  expect([...told].sort()).toEqual(["add a", "add b", "add c", "delete b"]);
});

test("a state is read by a watch where the server offers that, and by a list elsewhere", async () => {
  for (const [emulatedVersion, expected] of [
    ["1.35", 0],
    ["1.21", 1],
  ] as const) {
    await using server = await createServer({ controllers: false, emulatedVersion });
    const asked: string[] = [];
    const fetch = (path: string, init?: RequestInit) => {
      asked.push(path);
      return server.fetch(path, init);
    };
    const client = await connect({ server: { fetch }, vocabulary: "orch" });
    await client.of(ConfigMap).create(map("a"));
    const informers = client.informers();
    const informer = informers.of(ConfigMap, { labelSelector: "app=followed" });
    await informer.synced;
    await client.of(ConfigMap).create(map("b"));
    await vi.waitFor(() => expect(namesOf(informer)).toEqual(["a", "b"]), soon);
    expect(asked.filter((path) => path.includes("limit=500"))).toHaveLength(expected);
    await informers.close();
  }
});

test("what neighbouring objects have in common is in memory once", async () => {
  await using server = await createServer({ controllers: false });
  const client = await connect({ server });
  const maps = client.of(ConfigMap);
  for (const name of ["a", "b"]) await maps.create(map(name, "the same"));
  const informers = client.informers();
  const informer = informers.of(ConfigMap, { labelSelector: "app=followed" });
  await informer.synced;
  await maps.create(map("c", "the same"));
  await vi.waitFor(() => expect(namesOf(informer)).toEqual(["a", "b", "c"]), soon);
  const [a, b, c] = informer.list();
  expect([b?.data === a?.data, c?.data === a?.data, c?.metadata.labels === a?.metadata.labels]).toEqual([
    true,
    true,
    true,
  ]);
  expect([a?.metadata.name, b?.metadata.name, c?.metadata.name]).toEqual(["a", "b", "c"]);
  await informers.close();
});
