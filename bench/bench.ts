/**
 * Measures a server beside a bare HTTPS server and the bare store, as ratios of one run on one machine.
 *
 *   npm run bench                                   start a server and measure everything
 *   npm run bench -- --quick                        a first look in half a minute
 *   npm run bench -- --only=get,list                some measurements: get list write apply watch start forks workspaces virtual-time envtest access webhooks custom controllers simulation contention scheduler size audit encryption history fairness servers nodes memory memory-parts informer expressions
 *   npm run bench -- --server=URL --token=TOKEN     a server that runs already
 *   npm run bench -- --against=URL --token=TOKEN --pids=PID,PID     ours and another in turns: compare.md
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { parseArgs } from "node:util";
import { runBareServer } from "./bare-server.ts";
import { runBareStore } from "./bare-store.ts";
import { compare } from "./compare.ts";
import { runControllers } from "./controllers-process.ts";
import { runFlood } from "./flood.ts";
import { measureAccess } from "./measures/access.ts";
import { measureApply } from "./measures/apply.ts";
import { measureAudit } from "./measures/audit.ts";
import { measureContention } from "./measures/contention.ts";
import { measureControllers } from "./measures/controllers.ts";
import { measureCustom } from "./measures/custom.ts";
import { measureEncryption } from "./measures/encryption.ts";
import { measureEnvtest } from "./measures/envtest.ts";
import { measureExpressions } from "./measures/expressions.ts";
import { measureFairness } from "./measures/fairness.ts";
import { measureForks } from "./measures/forks.ts";
import { measureGet } from "./measures/get.ts";
import { measureHistory } from "./measures/history.ts";
import { measureInformer } from "./measures/informer.ts";
import { measureList } from "./measures/list.ts";
import { measureMemory } from "./measures/memory.ts";
import { measureMemoryParts } from "./measures/memory-parts.ts";
import { measureNodes } from "./measures/nodes.ts";
import { measureScheduler } from "./measures/scheduler.ts";
import { measureServers } from "./measures/servers.ts";
import { measureSimulation } from "./measures/simulation.ts";
import { measureSize } from "./measures/size.ts";
import { measureStart } from "./measures/start.ts";
import { measureVirtualTime } from "./measures/virtual-time.ts";
import { measureWatch } from "./measures/watch.ts";
import { measureWebhooks } from "./measures/webhooks.ts";
import { measureWorkspaces } from "./measures/workspaces.ts";
import { measureWrite } from "./measures/write.ts";
import { runMemory } from "./memory-process.ts";
import { printTable, type Row } from "./report.ts";
import { commitId, openScene } from "./scene.ts";
import { connectTarget, startOrch } from "./target.ts";
import { runWebhookServer } from "./webhook-server.ts";

const inScene = { get: measureGet, list: measureList, write: measureWrite, apply: measureApply, watch: measureWatch };
const alone = {
  start: (quick: boolean) => measureStart(quick ? 1 : 5),
  forks: measureForks,
  workspaces: (quick: boolean) => measureWorkspaces(quick ? 1_000 : 10_000),
  "virtual-time": measureVirtualTime,
  envtest: (quick: boolean) => measureEnvtest(quick ? 1 : 5),
  access: measureAccess,
  webhooks: measureWebhooks,
  custom: measureCustom,
  controllers: measureControllers,
  simulation: measureSimulation,
  contention: measureContention,
  scheduler: measureScheduler,
  size: measureSize,
  audit: measureAudit,
  encryption: measureEncryption,
  history: measureHistory,
  fairness: measureFairness,
  servers: measureServers,
  nodes: measureNodes,
  memory: (quick: boolean) => measureMemory(quick ? 5_000 : 50_000),
  "memory-parts": (quick: boolean) => measureMemoryParts(quick ? 5_000 : 50_000),
  informer: (quick: boolean) => measureInformer(quick ? 10_000 : 100_000),
  expressions: measureExpressions,
};

async function main(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: "boolean", default: false },
      only: { type: "string", default: "" },
      server: { type: "string", default: "" },
      token: { type: "string", default: "" },
      against: { type: "string", default: "" },
      pids: { type: "string", default: "" },
    },
  });
  const { quick, server, token } = values;
  const wanted = values.only === "" ? [...Object.keys(inScene), ...Object.keys(alone)] : values.only.split(",");
  const log = (line: string) => process.stderr.write(`${line}\n`);
  if (values.against !== "") {
    const own = await startOrch("embedded");
    const other = connectTarget(values.against, token, readPids(values.pids));
    try {
      process.stdout.write(`${await compare({ own, other }, { quick, log })}\n`);
    } finally {
      await own.close();
    }
    return;
  }
  const rows: Row[] = [];

  if (Object.keys(inScene).some((name) => wanted.includes(name))) {
    const orch = server === "" ? await startOrch("embedded") : connectTarget(server, token);
    const scene = await openScene({ orch, isOwn: server === "", quick, log });
    try {
      for (const [name, measure] of Object.entries(inScene)) {
        if (!wanted.includes(name)) continue;
        log(`measuring ${name}`);
        rows.push(...(await measure(scene)));
      }
    } finally {
      await scene.close();
      await orch.close();
    }
  }
  if (server === "") {
    for (const [name, measure] of Object.entries(alone)) {
      if (!wanted.includes(name)) continue;
      log(`measuring ${name}`);
      rows.push(...(await measure(quick)));
    }
  }
  process.stdout.write(`${printTable(rows)}\n`);
  writeResult(rows, { quick, server });
}

function readPids(text: string): number[] {
  const pids = text === "" ? [] : text.split(",").map(Number);
  if (!pids.every((pid) => Number.isInteger(pid) && pid > 0))
    throw new Error(`--pids=${text}: must be process ids, separated by commas`);
  return pids;
}

function writeResult(rows: readonly Row[], options: Record<string, unknown>): void {
  mkdirSync("bench/results", { recursive: true });
  const path = `bench/results/${new Date().toISOString().replaceAll(":", "-")}.json`;
  const machine = {
    node: process.version,
    platform: `${process.platform}/${process.arch}`,
    cpus: cpus().map(({ model }) => model),
    memoryBytes: totalmem(),
  };
  writeFileSync(path, `${JSON.stringify({ commit: commitId(), ...options, machine, rows }, null, 2)}\n`);
  process.stderr.write(`written to ${path}\n`);
}

const [mode = "", ...rest] = process.argv.slice(2);
if (mode === "bare-server") runBareServer(rest);
else if (mode === "controllers-process") await runControllers(rest);
else if (mode === "memory-process") await runMemory(rest);
else if (mode === "bare-store") await runBareStore(rest);
else if (mode === "webhook-server") runWebhookServer(rest);
else if (mode === "flood") await runFlood(rest);
else await main(process.argv.slice(2));
