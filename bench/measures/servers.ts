/** One, two and three servers on one etcd or PostgreSQL, beside one on the embedded store: what a read, a write and a delivery cost. */

import { findEtcd, startTestEtcd } from "../../src/kv/etcd/server.fixture.ts";
import { findPostgres, startTestPostgres } from "../../src/kv/postgres/server.fixture.ts";
import { prepareRequest } from "../connection.ts";
import { fetchOnce, load } from "../load.ts";
import { perSecond, type Row } from "../report.ts";
import { familyCpuSeconds, startOrch, type Target } from "../target.ts";
import { openAudience } from "./watch.ts";

const connections = 24;
const watchersInAll = 300;

/** Processor time in microseconds for each operation: of all servers, and of their store. */
interface Cost {
  readonly operations: number;
  readonly seconds: number;
  readonly serverMicros: number;
  readonly storeMicros: number;
}

export async function measureServers(quick: boolean): Promise<Row[]> {
  const alone = await startOrch("embedded");
  const rows = await measure("embedded store, 1 server", [alone], async () => 0, quick);
  await alone.close();
  for (const [name, start] of [
    ["etcd", etcdStore()],
    ["PostgreSQL", postgresStore()],
  ] as const)
    for (const count of start === undefined ? [] : [1, 2, 3]) {
      const store = await start!();
      const servers: Target[] = [];
      for (let at = 0; at < count; at += 1) servers.push(await startOrch(store.choice));
      rows.push(...(await measure(`${name}, ${count} servers`, servers, store.cpu, quick)));
      await Promise.all(servers.map((server) => server.close()));
      await store.remove();
    }
  return rows;
}

interface SharedStore {
  readonly choice: Parameters<typeof startOrch>[0];
  readonly cpu: StoreCpu;
  remove(): Promise<void>;
}

function etcdStore(): (() => Promise<SharedStore>) | undefined {
  const program = findEtcd();
  if (program === undefined) return undefined;
  return async () => {
    const etcd = await startTestEtcd(program);
    return {
      choice: { etcd: etcd.endpoint },
      cpu: () => cpuOfEtcd(etcd.endpoint),
      remove: () => etcd.remove(),
    };
  };
}

function postgresStore(): (() => Promise<SharedStore>) | undefined {
  const programs = findPostgres();
  if (programs === undefined) return undefined;
  return async () => {
    // What is acknowledged is on the disk, as with the other stores.
    const postgres = await startTestPostgres(programs, { settings: ["fsync = on", "shared_buffers = 128MB"] });
    return {
      choice: { postgres: postgres.address() },
      cpu: async () => familyCpuSeconds(postgres.pid()),
      remove: () => postgres.remove(),
    };
  };
}

type StoreCpu = () => Promise<number>;

async function measure(what: string, servers: readonly Target[], storeCpu: StoreCpu, quick: boolean): Promise<Row[]> {
  const path = "/api/v1/namespaces/default/configmaps";
  const { headers } = servers[0]!;
  // Numbers of operations, not of seconds: the same work for any number of servers, after each has warmed up.
  const [getCount, createCount] = quick ? [2_000, 600] : [9_000, 2_400];
  const share = { seconds: 600, connections: Math.ceil(connections / servers.length) };
  const body = (name: string) => JSON.stringify({ metadata: { name }, data: { text: "x".repeat(500) } });
  await fetchOnce(servers[0]!, prepareRequest("POST", path, headers, body("one")));
  const get = prepareRequest("GET", `${path}/one`, headers);
  const readAll = (count: number) =>
    onAll(servers, (server) =>
      load(server, {
        ...share,
        operations: Math.ceil(count / servers.length),
        statuses: [200],
        request: () => get,
      }),
    );
  const createAll = (count: number, round: string) =>
    onAll(servers, (server, number) =>
      load(server, {
        ...share,
        operations: Math.ceil(count / servers.length),
        statuses: [201],
        request: (index) => prepareRequest("POST", path, headers, body(`${round}-${number}-${index}`)),
      }),
    );
  await readAll(1_500 * servers.length);
  const gets = await costOf(servers, storeCpu, () => readAll(getCount));
  await createAll(400 * servers.length, "warm");
  const writes = await costOf(servers, storeCpu, () => createAll(createCount, "w"));
  const events = await costOf(servers, storeCpu, () => deliver(servers, quick ? 200 : 600));
  const row = (name: string, unit: string, { operations, seconds: took, serverMicros, storeMicros }: Cost): Row => ({
    what: `${name}, ${what}`,
    measured: `${perSecond(operations / took, unit)}, ${serverMicros.toFixed(1)} µs CPU`,
    beside: storeMicros > 0 ? `the store ${storeMicros.toFixed(1)} µs CPU` : "",
    budget: "",
  });
  return [row("get", "req", gets), row("create", "req", writes), row("watch", "event", events)];
}

/** Watchers on all servers hear of what is written through the first. */
async function deliver(servers: readonly Target[], changes: number): Promise<number> {
  const path = "/api/v1/namespaces/default/secrets";
  const [first] = servers;
  const each = watchersInAll / servers.length;
  const audiences = await Promise.all(servers.map((server) => openAudience(server, path, each)));
  const step = 100;
  for (let made = 0; made < changes; made += step) {
    await load(first!, {
      connections: 4,
      seconds: 60,
      operations: step,
      statuses: [201],
      request: (index) =>
        prepareRequest("POST", path, first!.headers, JSON.stringify({ metadata: { name: `s-${made + index}` } })),
    });
    await Promise.all(audiences.map((audience) => audience.heard((made + step) * each)));
  }
  for (const audience of audiences) audience.close();
  return changes * watchersInAll;
}

async function onAll(
  servers: readonly Target[],
  run: (server: Target, number: number) => Promise<{ readonly operations: number }>,
): Promise<number> {
  const results = await Promise.all(servers.map(run));
  return results.reduce((sum, { operations }) => sum + operations, 0);
}

async function costOf(servers: readonly Target[], storeCpu: StoreCpu, run: () => Promise<number>): Promise<Cost> {
  const cpu = () => servers.reduce((sum, server) => sum + (server.cpuSeconds() ?? Number.NaN), 0);
  const [serverBefore, storeBefore, start] = [cpu(), await storeCpu(), performance.now()];
  const operations = await run();
  const seconds = (performance.now() - start) / 1_000;
  const micros = (cpuSeconds: number) => (cpuSeconds / operations) * 1e6;
  return {
    operations,
    seconds,
    serverMicros: micros(cpu() - serverBefore),
    storeMicros: micros((await storeCpu()) - storeBefore),
  };
}

async function cpuOfEtcd(endpoint: string): Promise<number> {
  const text = await (await fetch(`${endpoint}/metrics`)).text();
  return Number(/^process_cpu_seconds_total (\S+)$/m.exec(text)?.[1] ?? Number.NaN);
}
