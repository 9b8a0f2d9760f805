/** The size that the field promises for a rack, in one process: nodes, pods, what they cost when nothing happens, and a start after a crash. */

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { megabytes, type Row } from "../report.ts";
import { freePort, processTarget, type Target, untilReady } from "../target.ts";

const [readyAfterCrashMsMax, idleShareMax, residentBytesMax, listMsMax] = [15_000, 0.1, 1.5e9, 30_000];
const cpuMsPerPodMax = 9;
const idleMs = 30_000;
const namespaces = 50;

export async function measureSize(quick: boolean): Promise<Row[]> {
  const [nodes, pods] = quick ? [200, 1_000] : [5_000, 150_000];
  const folder = mkdtempSync(join(tmpdir(), "orch-bench-size-"));
  const port = await freePort();
  let cluster = await startCluster(folder, port, nodes);
  try {
    await until(async () => (await countOf(cluster, "/api/v1/nodes")) === nodes);
    const [began, cpuBefore] = [performance.now(), cluster.target.cpuSeconds() ?? 0];
    for (let at = 0; at < namespaces; at++) await deploy(cluster, `size-${at}`, pods / namespaces);
    await until(async () => (await readyPods(cluster)) === pods, 2_000);
    const cpuMs = ((cluster.target.cpuSeconds() ?? 0) - cpuBefore) * 1_000;
    const seconds = (performance.now() - began) / 1_000;
    await pause(idleMs); // until statuses and Events are written
    const idleBefore = cluster.target.cpuSeconds() ?? 0;
    await pause(idleMs);
    const idle = ((cluster.target.cpuSeconds() ?? 0) - idleBefore) / (idleMs / 1_000);
    const { residentBytes } = cluster.target.memory() ?? { residentBytes: Number.NaN };
    const listBegan = performance.now();
    await call(cluster, "GET", "/api/v1/pods");
    const listMs = performance.now() - listBegan;
    cluster.child.kill("SIGKILL");
    const crashed = performance.now();
    cluster = await startCluster(folder, port, nodes);
    const againMs = performance.now() - crashed;
    const of = `${pods.toLocaleString("en")} pods on ${nodes.toLocaleString("en")} nodes`;
    const row = (what: string, measured: string, budget: string, met: boolean): Row => ({
      what: `${of}: ${what}`,
      measured,
      beside: "",
      budget,
      ...(quick ? {} : { met }),
    });
    const perPod = cpuMs / pods;
    return [
      row(
        "from creation to ready",
        `${seconds.toFixed(0)} s, ${perPod.toFixed(1)} ms CPU each`,
        `< ${cpuMsPerPodMax} ms`,
        perPod < cpuMsPerPodMax,
      ),
      row("idle", `${(idle * 100).toFixed(1)} % of a core`, `< ${idleShareMax * 100} %`, idle < idleShareMax),
      row("resident", megabytes(residentBytes), `< ${megabytes(residentBytesMax)}`, residentBytes < residentBytesMax),
      row("list of all pods", `${listMs.toFixed(0)} ms`, `< ${listMsMax} ms`, listMs < listMsMax),
      row(
        "ready again after kill -9",
        `${againMs.toFixed(0)} ms`,
        `< ${readyAfterCrashMsMax} ms`,
        againMs < readyAfterCrashMsMax,
      ),
    ];
  } finally {
    await cluster.target.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Cluster {
  readonly child: ChildProcess;
  readonly target: Target;
  readonly tls: { readonly ca: Buffer; readonly cert: Buffer; readonly key: Buffer };
}

async function startCluster(folder: string, port: number, nodes: number): Promise<Cluster> {
  const data = join(folder, "data");
  const flags = ["--like=kubernetes-1.37", `--nodes=${nodes}`, `--secure-port=${port}`, `--data-dir=${data}`];
  const child = spawn(process.execPath, ["bin/orch", "up", ...flags], {
    stdio: ["ignore", "ignore", openSync(join(folder, "server.log"), "a")],
  });
  const target = processTarget(child, port, {});
  await untilReady(target, child);
  const read = (name: string) => readFileSync(join(data, "pki", name));
  return { child, target, tls: { ca: read("ca.crt"), cert: read("admin.crt"), key: read("admin.key") } };
}

async function deploy(cluster: Cluster, namespace: string, replicas: number): Promise<void> {
  const labels = { app: namespace };
  const resources = { requests: { cpu: "10m", memory: "16Mi" } };
  const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "i", resources }] } };
  await call(cluster, "POST", "/api/v1/namespaces", { metadata: { name: namespace } });
  await call(cluster, "POST", `/apis/apps/v1/namespaces/${namespace}/deployments`, {
    metadata: { name: "web" },
    spec: { replicas, selector: { matchLabels: labels }, template },
  });
}

async function readyPods(cluster: Cluster): Promise<number> {
  const text = await call(cluster, "GET", "/apis/apps/v1/deployments");
  const { items } = JSON.parse(text) as { items: readonly { readonly status?: { readonly readyReplicas?: number } }[] };
  return items.reduce((sum, { status }) => sum + (status?.readyReplicas ?? 0), 0);
}

async function countOf(cluster: Cluster, path: string): Promise<number> {
  const text = await call(cluster, "GET", `${path}?limit=1`);
  const { items, metadata } = JSON.parse(text) as {
    readonly items: readonly unknown[];
    readonly metadata: { readonly remainingItemCount?: number };
  };
  return items.length + (metadata.remainingItemCount ?? 0);
}

function call({ target, tls }: Cluster, method: string, path: string, body?: object): Promise<string> {
  return new Promise((done, fail) => {
    const headers = { "content-type": "application/json" };
    const sent = request({ ...target.tls, ...tls, method, path, headers, agent: false }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.on("error", fail);
      answer.on("end", () => {
        const text = Buffer.concat(chunks).toString();
        if ((answer.statusCode ?? 500) < 300) done(text);
        else fail(new Error(`${method} ${path}: ${text}`));
      });
    });
    sent.on("error", fail);
    sent.end(body && JSON.stringify(body));
  });
}

const pause = (ms: number) => new Promise<void>((done) => void setTimeout(done, ms));

async function until(isSo: () => Promise<boolean>, everyMs = 500): Promise<void> {
  while (!(await isSo())) await pause(everyMs);
}
