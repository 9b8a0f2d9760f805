/** The same server on each version of Node, in turns: what requests and a start cost, beside the one that runs this benchmark. */

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { provideNodes } from "../../scripts/provide-nodes.mjs";
import { prepareRequest } from "../connection.ts";
import { fetchOnce, type LoadOptions, load } from "../load.ts";
import { benchPod } from "../pod.ts";
import { median, megabytes, type Row } from "../report.ts";
import { startOrch, type Target } from "../target.ts";

const namespacePath = "/api/v1/namespaces/bench";
const podsPath = `${namespacePath}/pods`;
const json = { "content-type": "application/json" };

/** One server: what it was started with, and what each round cost it, by measure. */
interface Contender {
  readonly name: string;
  readonly target: Target;
  readonly startCpuMs: number;
  readonly cpuMicros: Map<string, number[]>;
}

type Load = Pick<LoadOptions, "connections" | "request"> & Partial<Pick<LoadOptions, "operations">>;

export async function measureNodes(quick: boolean): Promise<Row[]> {
  const pods = quick ? 500 : 2_000;
  const rounds = quick ? 2 : 5;
  const contenders: Contender[] = [];
  const own = { version: process.version, path: process.execPath };
  for (const { version, path } of [
    own,
    ...provideNodes(resolve("."), { log: (line) => process.stderr.write(`${line}\n`) }),
  ])
    contenders.push(await contend(version, path, pods));
  try {
    for (let round = 0; round < rounds; round++)
      for (const [what, loadOf] of Object.entries(loads(pods, quick ? 300 : 2_000)))
        for (const { target, cpuMicros } of contenders) {
          const options = { seconds: quick ? 1 : 3, statuses: [200, 201], ...loadOf(target, round) };
          const cost = await load(target, options);
          cpuMicros.set(what, [...(cpuMicros.get(what) ?? []), cost.cpuMicros ?? 1e6 / cost.perSecond]);
        }
    const [standard, ...others] = contenders;
    return others.flatMap((other) => rowsOf(other, standard!));
  } finally {
    await Promise.all(contenders.map(({ target }) => target.close()));
  }
}

async function contend(version: string | number, node: string, pods: number): Promise<Contender> {
  const root = builtWith(node);
  const target = await startOrch("embedded", "RBAC", undefined, { node, root });
  const startCpuMs = (target.cpuSeconds() ?? Number.NaN) * 1_000;
  const namespace = JSON.stringify({ metadata: { name: "bench" } });
  await fetchOnce(target, prepareRequest("POST", "/api/v1/namespaces", { ...target.headers, ...json }, namespace));
  await load(target, {
    connections: 32,
    seconds: 600,
    operations: pods,
    statuses: [201],
    request: (at) => prepareRequest("POST", podsPath, target.headers, JSON.stringify(benchPod(`pod-${at}`, at))),
  });
  const close = async () => {
    await target.close();
    rmSync(root, { recursive: true, force: true });
  };
  return { name: `Node ${version}`, target: { ...target, close }, startCpuMs, cpuMicros: new Map() };
}

/** A folder with the program as this Node compiles it ahead. */
function builtWith(node: string): string {
  const root = mkdtempSync(join(tmpdir(), "orch-bench-node-"));
  for (const name of ["bin", "dist", "package.json"]) cpSync(name, join(root, name), { recursive: true });
  mkdirSync(join(root, "scripts"));
  cpSync("scripts/compile.mjs", join(root, "scripts/compile.mjs"));
  symlinkSync(resolve("node_modules"), join(root, "node_modules"));
  execFileSync(node, [join(root, "scripts/compile.mjs"), "orch"], { stdio: "ignore" });
  return root;
}

/** `writes`: how many there are in a round. */
const loads = (pods: number, writes: number): Record<string, (target: Target, round: number) => Load> => ({
  get: ({ headers }) => ({
    connections: 32,
    request: (at) => prepareRequest("GET", `${podsPath}/pod-${at % pods}`, headers),
  }),
  [`list of ${pods} pods`]: ({ headers }) => ({
    connections: 4,
    request: () => prepareRequest("GET", podsPath, headers),
  }),
  // Printed anew for each request.
  [`the same as a table`]: ({ headers }) => ({
    connections: 4,
    request: () =>
      prepareRequest("GET", podsPath, { ...headers, accept: "application/json;as=Table;v=v1;g=meta.orch.io" }),
  }),
  "durable create": ({ headers }, round) => ({
    connections: 32,
    operations: writes,
    request: (at) => prepareRequest("POST", podsPath, headers, JSON.stringify(benchPod(`created-${round}-${at}`, at))),
  }),
  "merge patch": ({ headers }, round) => ({
    connections: 32,
    operations: writes,
    request: (at) =>
      prepareRequest(
        "PATCH",
        `${podsPath}/pod-${at % pods}`,
        { ...headers, "content-type": "application/merge-patch+json" },
        JSON.stringify({ metadata: { labels: { turn: `t${round}-${at}` } } }),
      ),
  }),
});

function rowsOf(other: Contender, standard: Contender): Row[] {
  const row = (what: string, measured: string, beside: string, ratio?: number): Row => ({
    what: `${other.name}: ${what}`,
    measured,
    beside: `${beside} on ${standard.name}`,
    ...(ratio === undefined ? {} : { ratio }),
    budget: "",
  });
  const micros = (values: readonly number[]) => `${median(values).toFixed(0)} µs CPU`;
  const requests = [...standard.cpuMicros].map(([what, beside]) => {
    const measured = other.cpuMicros.get(what) ?? [];
    const ratio = median(measured.map((one, at) => one / beside[at]!));
    return row(what, micros(measured), micros(beside), ratio);
  });
  const startRatio = other.startCpuMs / standard.startCpuMs;
  const millis = (value: number) => `${value.toFixed(0)} ms CPU`;
  const memory = ({ target }: Contender) => megabytes(target.memory()?.anonymousBytes ?? Number.NaN);
  return [
    row("start until ready", millis(other.startCpuMs), millis(standard.startCpuMs), startRatio),
    ...requests,
    row("memory after all this", memory(other), memory(standard)),
  ];
}
