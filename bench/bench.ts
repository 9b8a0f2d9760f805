/** Measures a server beside a bare HTTPS server and the bare store, as ratios of one run on one machine: `npm run bench -- --help`. */

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
import { measureGrowth } from "./measures/growth.ts";
import { measureHistory } from "./measures/history.ts";
import { measureHistoryDay } from "./measures/history-day.ts";
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
import { commitId, openScene, type Scene } from "./scene.ts";
import { connectTarget, startOrch } from "./target.ts";
import { runWebhookServer } from "./webhook-server.ts";

/** One line on what it measures, and the measurement. */
type Measurement<Given> = readonly [what: string, measure: (given: Given) => Promise<Row[]> | Row[]];

/** On one server that is filled once. */
const inScene: Readonly<Record<string, Measurement<Scene>>> = {
  get: ["gets of one object, beside a bare server", measureGet],
  list: ["lists of everything, in chunks, from the cache and by selectors, beside a bare server", measureList],
  write: ["durable creates and updates, beside the bare store and a bare server on it", measureWrite],
  apply: ["server-side apply, beside updates", measureApply],
  watch: ["deliveries to many watchers, over HTTP/1.1 and HTTP/2", measureWatch],
};

/** Each with servers of its own, or none. */
const alone: Readonly<Record<string, Measurement<boolean>>> = {
  start: ["a start as a process and in process, and what an idle server holds", (quick) => measureStart(quick ? 1 : 5)],
  forks: ["a fork of a server with many objects", measureForks],
  workspaces: ["ten thousand workspaces of one type", (quick) => measureWorkspaces(quick ? 1_000 : 10_000)],
  "virtual-time": ["an hour of virtual time with a CronJob", measureVirtualTime],
  envtest: ["the control plane of a test suite, until /healthz and its stop", (quick) => measureEnvtest(quick ? 1 : 5)],
  access: ["gets among thousands of role bindings", measureAccess],
  webhooks: ["creates with a thousand webhooks", measureWebhooks],
  custom: ["custom resources beside built-in kinds, and a thousand definitions", measureCustom],
  controllers: ["what controllers do, how fast, and what they cost", measureControllers],
  growth: ["what controllers take for each object, of so many, twice and four times as many", measureGrowth],
  simulation: ["simulated nodes: how fast they come, run pods, and what they cost idle", measureSimulation],
  contention: ["simulated nodes beside eight busy processes; wants a quiet machine", measureContention],
  scheduler: ["decisions of the scheduler, without a server", measureScheduler],
  size: ["150,000 pods on 5,000 nodes; half an hour and 2 GB", measureSize],
  audit: ["gets with an audit log, beside gets without", measureAudit],
  encryption: ["encrypted Secrets, beside the same without encryption", measureEncryption],
  history: ["requests to a server that keeps history", measureHistory],
  "history-day": ["a day of a busy cluster in a history: its size, and questions", measureHistoryDay],
  fairness: ["honest tenants beside one that floods the server", measureFairness],
  servers: ["one, two and three servers on one etcd or PostgreSQL", measureServers],
  nodes: ["the same server on each version of Node", measureNodes],
  memory: ["memory with many pods, beside their JSON", (quick) => measureMemory(quick ? 5_000 : 50_000)],
  "memory-parts": ["the same by part", (quick) => measureMemoryParts(quick ? 5_000 : 50_000)],
  informer: ["memory of an informer of orch/client", (quick) => measureInformer(quick ? 10_000 : 100_000)],
  expressions: ["a typical rule: compiled, and evaluated", measureExpressions],
};

const names = [...Object.keys(inScene), ...Object.keys(alone)];

function helpText(): string {
  const line = (name: string, what: string): string => `  ${name.padEnd(26)}${what}`;
  return [
    "Measures a server beside a bare HTTPS server and the bare store. Results are ratios of one run on one machine,",
    "printed as a table and written to bench/results/.",
    "",
    "  npm run bench -- [options]",
    "",
    "Options:",
    line("--quick", "shorter: a first look in half a minute with the defaults"),
    line("--only=NAME,NAME", "some measurements; default: all"),
    line("--server=URL", "a server that runs already; it serves the measurements of one server only"),
    line("--against=URL", "ours and another in turns: bench/compare.md"),
    line("--token=TOKEN", "the bearer token for --server or --against"),
    line("--pids=PID,PID", "the processes whose CPU and memory count as the other server's"),
    line("--help", "this text"),
    "",
    "Measurements of one server:",
    ...Object.entries(inScene).map(([name, [what]]) => line(name, what)),
    "",
    "Measurements with servers of their own:",
    ...Object.entries(alone).map(([name, [what]]) => line(name, what)),
    "",
  ].join("\n");
}

/** Refuses what it does not know, so that a misspelt name does not measure nothing. */
function readNames(only: string): readonly string[] {
  if (only === "") return names;
  const wanted = only.split(",");
  const unknown = wanted.filter((name) => !names.includes(name));
  if (unknown.length > 0)
    throw new Error(`--only=${only}: ${unknown.join(", ")} is not a measurement; known are ${names.join(" ")}`);
  return wanted;
}

async function main(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: "boolean", short: "h", default: false },
      quick: { type: "boolean", default: false },
      only: { type: "string", default: "" },
      server: { type: "string", default: "" },
      token: { type: "string", default: "" },
      against: { type: "string", default: "" },
      pids: { type: "string", default: "" },
    },
  });
  const { quick, server, token } = values;
  if (values.help) {
    process.stdout.write(helpText());
    return;
  }
  const wanted = readNames(values.only);
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
      for (const [name, [, measure]] of Object.entries(inScene)) {
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
    for (const [name, [, measure]] of Object.entries(alone)) {
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
else {
  await main(process.argv.slice(2)).catch((error: unknown) => {
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    // A wrong option is the caller's: two lines say it.
    const isWrongOption = message.startsWith("--") || message.startsWith("Unknown option");
    process.stderr.write(`${isWrongOption ? `${message}\nnpm run bench -- --help shows what there is` : stack}\n`);
    process.exitCode = 1;
  });
}
