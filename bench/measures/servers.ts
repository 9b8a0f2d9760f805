/** One, two and three servers on one etcd, beside one on the embedded store: what a read, a write and a delivery cost. */

import { findEtcd, startTestEtcd } from "../../src/kv/etcd/server.fixture.ts";
import { prepareRequest } from "../connection.ts";
import { fetchOnce, load } from "../load.ts";
import { perSecond, type Row } from "../report.ts";
import { startOrch, type Target } from "../target.ts";
import { openAudience } from "./watch.ts";

const connections = 24;
const watchersInAll = 300;

/** Processor time in microseconds for each operation: of all servers, and of etcd. */
interface Cost {
  readonly operations: number;
  readonly seconds: number;
  readonly serverMicros: number;
  readonly etcdMicros: number;
}

export async function measureServers(quick: boolean): Promise<Row[]> {
  const program = findEtcd();
  if (program === undefined) return [];
  const alone = await startOrch("embedded");
  const rows = await measure("embedded store, 1 server", [alone], async () => 0, quick);
  await alone.close();
  for (const count of [1, 2, 3]) {
    const etcd = await startTestEtcd(program);
    const servers: Target[] = [];
    for (let at = 0; at < count; at += 1) servers.push(await startOrch({ etcd: etcd.endpoint }));
    rows.push(...(await measure(`etcd, ${count} servers`, servers, () => etcdCpuSeconds(etcd.endpoint), quick)));
    await Promise.all(servers.map((server) => server.close()));
    await etcd.remove();
  }
  return rows;
}

type EtcdCpu = () => Promise<number>;

async function measure(what: string, servers: readonly Target[], etcdCpu: EtcdCpu, quick: boolean): Promise<Row[]> {
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
  const gets = await costOf(servers, etcdCpu, () => readAll(getCount));
  await createAll(400 * servers.length, "warm");
  const writes = await costOf(servers, etcdCpu, () => createAll(createCount, "w"));
  const events = await costOf(servers, etcdCpu, () => deliver(servers, quick ? 200 : 600));
  const row = (name: string, unit: string, { operations, seconds: took, serverMicros, etcdMicros }: Cost): Row => ({
    what: `${name}, ${what}`,
    measured: `${perSecond(operations / took, unit)}, ${serverMicros.toFixed(1)} µs CPU`,
    beside: etcdMicros > 0 ? `etcd ${etcdMicros.toFixed(1)} µs CPU` : "",
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

async function costOf(servers: readonly Target[], etcdCpu: EtcdCpu, run: () => Promise<number>): Promise<Cost> {
  const cpu = () => servers.reduce((sum, server) => sum + (server.cpuSeconds() ?? Number.NaN), 0);
  const [serverBefore, etcdBefore, start] = [cpu(), await etcdCpu(), performance.now()];
  const operations = await run();
  const seconds = (performance.now() - start) / 1_000;
  const micros = (cpuSeconds: number) => (cpuSeconds / operations) * 1e6;
  return {
    operations,
    seconds,
    serverMicros: micros(cpu() - serverBefore),
    etcdMicros: micros((await etcdCpu()) - etcdBefore),
  };
}

async function etcdCpuSeconds(endpoint: string): Promise<number> {
  const text = await (await fetch(`${endpoint}/metrics`)).text();
  return Number(/^process_cpu_seconds_total (\S+)$/m.exec(text)?.[1] ?? Number.NaN);
}
