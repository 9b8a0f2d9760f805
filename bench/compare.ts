/** Two servers side by side: the same pods in both, the same requests in turns, CPU by process id. See compare.md. */

import { prepareRequest } from "./connection.ts";
import { fetchOnce, type LoadResult, load } from "./load.ts";
import { openAudience } from "./measures/watch.ts";
import { benchPod, groupsCount } from "./pod.ts";
import { median, megabytes, printTable, type Row } from "./report.ts";
import type { Target } from "./target.ts";

export interface Pair {
  readonly own: Target;
  readonly other: Target;
}

export interface CompareOptions {
  readonly quick: boolean;
  readonly log: (line: string) => void;
}

/** A place in one server where requests are sent. */
interface Stage {
  readonly target: Target;
  /** The collection with all pods. */
  readonly pods: string;
  readonly scratch: string;
  /** Makes a namespace and gives the path of one of its collections. */
  makeNamespace(name: string, resource: string): Promise<string>;
  readonly count: number;
}

interface Measure {
  readonly what: string;
  run(stage: Stage, round: number): Promise<Cost>;
}

interface Cost {
  readonly perSecond: number;
  readonly cpuMicros: number | undefined;
}

const connections = 32;
const watchers = 200;
const changes = 100;
const nodesCount = 100;

export async function compare({ own, other }: Pair, { quick, log }: CompareOptions): Promise<string> {
  const count = quick ? 500 : 3_000;
  const rounds = quick ? 1 : 3;
  const stages = [];
  for (const target of [own, other]) stages.push(await fill(target, count, log));
  const rows: Row[] = [];
  for (const measure of measures(quick ? 1 : 4, quick ? 500 : 4_000)) {
    log(`comparing ${measure.what}`);
    rows.push(await inTurns(measure, stages, rounds));
  }
  rows.push(memoryRow(stages, count));
  return printTable(rows);
}

async function inTurns(measure: Measure, stages: readonly Stage[], rounds: number): Promise<Row> {
  const costs: Cost[][] = stages.map(() => []);
  for (let round = 0; round < rounds; round++)
    for (const [at, stage] of stages.entries()) costs[at]!.push(await measure.run(stage, round));
  const [own = [], other = []] = costs;
  const cost = ({ cpuMicros, perSecond }: Cost) => cpuMicros ?? 1e6 / perSecond;
  return {
    what: measure.what,
    measured: shown(own),
    beside: shown(other),
    ratio: median(own.map((one, at) => cost(other[at]!) / cost(one))),
    budget: "",
  };
}

function shown(costs: readonly Cost[]): string {
  const rate = Math.round(median(costs.map(({ perSecond }) => perSecond))).toLocaleString("en");
  const cpu = median(costs.map(({ cpuMicros }) => cpuMicros ?? Number.NaN));
  return Number.isNaN(cpu) ? `${rate}/s` : `${rate}/s, ${cpu.toFixed(cpu < 100 ? 1 : 0)} µs CPU`;
}

/** Makes namespaces and the pods. Sent to both servers in the same way. */
async function fill(target: Target, count: number, log: (line: string) => void): Promise<Stage> {
  const tag = Date.now().toString(36);
  const makeNamespace = async (name: string, resource: string) => {
    const body = JSON.stringify({ metadata: { name: `${name}-${tag}` } });
    await expectStatus(target, prepareRequest("POST", "/api/v1/namespaces", target.headers, body), 201);
    return `/api/v1/namespaces/${name}-${tag}/${resource}`;
  };
  const pods = await makeNamespace("many", "pods");
  log(`creating ${count} pods at ${target.tls.host}:${target.tls.port}`);
  await load(target, {
    connections,
    seconds: 600,
    operations: count,
    statuses: [201],
    request: (at) => prepareRequest("POST", pods, target.headers, JSON.stringify(benchPod(`pod-${at}`, at))),
  });
  return { target, pods, scratch: await makeNamespace("scratch", "pods"), makeNamespace, count };
}

async function expectStatus(target: Target, request: Buffer, wanted: number): Promise<void> {
  const { status, body } = await fetchOnce(target, request);
  if (status !== wanted) throw new Error(`the server answered ${status}: ${body.toString().slice(0, 300)}`);
}

/** Reads take some seconds. Writes are as many on both sides, so that both hold the same objects afterwards. */
function measures(seconds: number, writes: number): readonly Measure[] {
  const read = (what: string, path: (stage: Stage, index: number) => string): Measure => ({
    what,
    run: (stage) =>
      load(stage.target, {
        connections: what.startsWith("get") ? connections : 4,
        seconds,
        statuses: [200],
        request: (index) => prepareRequest("GET", path(stage, index), stage.target.headers),
      }),
  });
  return [
    read("get of a pod", ({ pods, count }, index) => `${pods}/pod-${index % count}`),
    read("list of all pods", ({ pods }) => pods),
    read("list of all pods from the cache", ({ pods }) => `${pods}?resourceVersion=0`),
    read("list by label", ({ pods }, at) => `${pods}?labelSelector=group%3Dg${at % groupsCount}`),
    read("list by field", ({ pods }, at) => `${pods}?fieldSelector=spec.nodeName%3Dnode-${at % nodesCount}`),
    read("first chunk of 500", ({ pods }) => `${pods}?limit=500`),
    { what: "durable create", run: (stage, round) => creates(stage, round, writes) },
    { what: "merge patch of a label", run: (stage) => patches(stage, writes) },
    { what: "apply that changes a pod", run: (stage) => applies(stage, writes, (index) => `t${index}`) },
    { what: "apply that repeats itself", run: (stage) => applies(stage, writes, () => "same") },
    { what: `delivery of an event, ${watchers} watchers`, run: (stage, round) => deliveries(stage, round) },
  ];
}

function creates({ target, scratch }: Stage, round: number, operations: number): Promise<LoadResult> {
  return load(target, {
    connections,
    seconds: 600,
    operations,
    statuses: [201],
    request: (at) =>
      prepareRequest("POST", scratch, target.headers, JSON.stringify(benchPod(`created-${round}-${at}`, at))),
  });
}

function patches({ target, pods, count }: Stage, operations: number): Promise<LoadResult> {
  const headers = { ...target.headers, "content-type": "application/merge-patch+json" };
  return load(target, {
    connections,
    seconds: 600,
    operations,
    statuses: [200],
    request: (at) => {
      const body = JSON.stringify({ metadata: { labels: { turn: `t${at}-${Date.now()}` } } });
      return prepareRequest("PATCH", `${pods}/pod-${at % count}`, headers, body);
    },
  });
}

function applies({ target, scratch }: Stage, operations: number, turn: (index: number) => string): Promise<LoadResult> {
  const headers = { ...target.headers, "content-type": "application/apply-patch+yaml" };
  return load(target, {
    connections,
    seconds: 600,
    operations,
    statuses: [200, 201],
    request: (index) => {
      const name = `applied-${index % 64}`;
      const pod = benchPod(name, index % 64);
      const body = JSON.stringify({ ...pod, metadata: { name, labels: { app: "bench", turn: turn(index) } } });
      return prepareRequest("PATCH", `${scratch}/${name}?fieldManager=bench&force=true`, headers, body);
    },
  });
}

/** What an event costs the server for each watcher, without the write that caused it. */
async function deliveries(stage: Stage, round: number): Promise<Cost> {
  const { target, makeNamespace } = stage;
  const alone = await writeConfigMaps(target, await makeNamespace(`alone-${round}`, "configmaps"));
  const path = await makeNamespace(`heard-${round}`, "configmaps");
  const audience = await openAudience(target, path, watchers);
  try {
    const cpu = target.cpuSeconds();
    const start = performance.now();
    await writeConfigMaps(target, path);
    await audience.heard(changes * watchers);
    const seconds = (performance.now() - start) / 1000;
    const used = target.cpuSeconds();
    const events = changes * watchers;
    const all = cpu === undefined || used === undefined ? undefined : (used - cpu) * 1e6;
    const ofWrites = (alone.cpuMicros ?? 0) * changes;
    return {
      perSecond: events / seconds,
      cpuMicros: all === undefined ? undefined : Math.max(0, all - ofWrites) / events,
    };
  } finally {
    audience.close();
  }
}

function writeConfigMaps(target: Target, path: string): Promise<LoadResult> {
  return load(target, {
    connections: 4,
    seconds: 60,
    operations: changes,
    statuses: [201],
    request: (at) => {
      const body = JSON.stringify({ metadata: { name: `change-${at}` }, data: { text: "x".repeat(500) } });
      return prepareRequest("POST", path, target.headers, body);
    },
  });
}

function memoryRow(stages: readonly Stage[], count: number): Row {
  const [own, other] = stages.map(({ target }) => target.memory()?.anonymousBytes);
  const text = (bytes: number | undefined) => (bytes === undefined ? "" : megabytes(bytes));
  return {
    what: `memory after all this, ${count} pods`,
    measured: text(own),
    beside: text(other),
    ...(own === undefined || other === undefined ? {} : { ratio: other / own }),
    budget: "",
  };
}
