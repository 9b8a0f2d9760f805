/** Durable creates and updates, beside the bare store and beside a bare server on the bare store, with the same bytes. */

import type { BareStoreResult } from "../bare-store.ts";
import { prepareRequest } from "../connection.ts";
import { fetchOnce, type LoadResult, load } from "../load.ts";
import { benchPod } from "../pod.ts";
import { median, perSecond, type Row, withCpu } from "../report.ts";
import type { Scene } from "../scene.ts";
import { startChild } from "../target.ts";

/** One writer waits for the disk each time; with many the disk is shared, and what counts is the work for each. */
const oneConnection = 1;
const manyConnections = 64;
/**
 * Of a bare server that puts the same bytes, by processor time. The store alone is no measure of a server: TLS, HTTP and one reading of the
 * body cost three times as much as its put, so even the bare server reaches 0.28 of it.
 */
const budget = 0.5;

export async function measureWrite(scene: Scene): Promise<Row[]> {
  const creates = createLoad(scene);
  const rows = [
    ...(await measureCreate(scene, creates, manyConnections)),
    ...(await measureCreate(scene, creates, oneConnection)),
  ];
  const update = await updates(scene, creates.count());
  return [
    ...rows,
    {
      what: `durable update of a pod (merge patch), ${manyConnections} connections`,
      measured: withCpu(perSecond(update.perSecond), update.cpuMicros),
      beside: "",
      budget: "",
    },
  ];
}

interface CreateLoad {
  run(connections: number): Promise<LoadResult>;
  /** How many pods there are by now. */
  count(): number;
}

function createLoad(scene: Scene): CreateLoad {
  let created = 0;
  return {
    run: (connections) =>
      load(scene.orch, {
        connections,
        seconds: scene.seconds,
        statuses: [201],
        request: () => {
          const at = created++;
          const body = JSON.stringify(benchPod(`created-${at}`, at));
          return prepareRequest("POST", scene.scratchPath, scene.orch.headers, body);
        },
      }),
    count: () => created,
  };
}

async function measureCreate(scene: Scene, creates: CreateLoad, connections: number): Promise<Row[]> {
  const own: LoadResult[] = [];
  const store: BareStoreResult[] = [];
  const server: LoadResult[] = [];
  // In turns, so that what else the machine does falls on all of them.
  for (let round = 0; round < scene.rounds; round++) {
    own.push(await creates.run(connections));
    if (!scene.isOwn) continue;
    store.push(await bareStore(scene, connections));
    server.push(await bareServer(scene, connections));
  }
  const rate = median(own.map((result) => result.perSecond));
  const cpu = median(own.map((result) => result.cpuMicros ?? Number.NaN));
  const measured = withCpu(perSecond(rate), cpu);
  const what = `durable create of a pod, ${connections} connection${connections === 1 ? "" : "s"}`;
  if (!scene.isOwn) return [{ what, measured, beside: "", budget: "" }];
  const besideServer = median(
    own.map((result, at) => (server[at]?.cpuMicros ?? Number.NaN) / (result.cpuMicros ?? Number.NaN)),
  );
  const beside = (results: readonly { perSecond: number; cpuMicros: number | undefined }[], unit: string) =>
    withCpu(
      perSecond(median(results.map((result) => result.perSecond)), unit),
      median(results.map((result) => result.cpuMicros ?? Number.NaN)),
    );
  return [
    {
      what,
      measured,
      beside: beside(server, "req"),
      ratio: besideServer,
      budget: `>= ${budget} of a bare https server on the bare store (CPU)`,
      met: besideServer >= budget,
    },
    {
      what: "the same beside the bare store",
      measured,
      beside: beside(store, "put"),
      ratio: median(own.map((result, at) => result.perSecond / (store[at]?.perSecond ?? Number.NaN))),
      budget: "",
    },
  ];
}

function bareServer(scene: Scene, connections: number): Promise<LoadResult> {
  const body = JSON.stringify(benchPod("created-0", 0));
  const request = prepareRequest("POST", "/get", scene.orch.headers, body);
  return load(scene.bare, { connections, seconds: scene.seconds, statuses: [201], request: () => request });
}

async function bareStore(scene: Scene, connections: number): Promise<BareStoreResult> {
  const stored = await fetchOnce(scene.orch, prepareRequest("GET", scene.podPath(0), scene.orch.headers));
  const child = startChild("bare-store", [String(connections), String(scene.seconds), String(stored.body.length)]);
  let text = "";
  for await (const chunk of child.stdout ?? []) text += String(chunk);
  return JSON.parse(text) as BareStoreResult; // what bare-store.ts prints
}

function updates(scene: Scene, count: number): Promise<LoadResult> {
  return load(scene.orch, {
    connections: manyConnections,
    seconds: scene.seconds,
    statuses: [200],
    request: (index) => {
      const at = index % count;
      const pod = benchPod(`created-${at}`, at);
      const metadata = { ...(pod["metadata"] as Record<string, unknown>), labels: { app: "bench", turn: `t${index}` } };
      return prepareRequest(
        "PATCH",
        `${scene.scratchPath}/created-${at}`,
        { ...scene.orch.headers, "content-type": "application/merge-patch+json" },
        JSON.stringify({ metadata }),
      );
    },
  });
}
