/** What controllers do for a cluster, how fast, and what they cost: each task in a process of its own, and an idle `orch up`. */

import type { TaskResult } from "../controllers-process.ts";
import { runTask } from "../controllers-task.ts";
import { megabytes, type Row } from "../report.ts";
import { startUp } from "../target.ts";

/** v1.21's controller manager sends this many requests a second by default (--kube-api-qps). */
const knownPerSecond = 20;
const memoryFactor = 0.5;
const cpuFactor = 1.5;
const idleShareMax = 0.005;
/** Not less: V8 collects the garbage of the start once, which is the most that an idle server does. */
const idleSeconds = 60;

export async function measureControllers(quick: boolean): Promise<Row[]> {
  const scale = quick ? 10 : 1;
  return [
    ...(await deployment(2_000 / scale)),
    await task("namespace", 10_000 / scale, "a namespace with N objects gone"),
    await task("collection", 10_000 / scale, "N dependents of one owner collected"),
    await task("certificates", 500 / scale, "N node certificates approved and signed"),
    ...(await memory(50_000 / scale)),
    ...(await idle(idleSeconds)),
  ];
}

async function task(name: string, count: number, what: string): Promise<Row> {
  return rowOf(what, count, await runTask(name, count));
}

function rowOf(what: string, count: number, { ms, cpuMs }: TaskResult): Row {
  return {
    what: what.replace("N", count.toLocaleString("en")),
    measured: `${(ms / 1000).toFixed(2)} s, ${Math.round((cpuMs * 1000) / count)} µs CPU each`,
    beside: `${Math.round(count / knownPerSecond)} s at ${knownPerSecond} requests a second`,
    ratio: count / knownPerSecond / (ms / 1000),
    budget: "",
  };
}

/** The same pods, written through the API without controllers, are what the calls alone cost. */
async function deployment(count: number): Promise<Row[]> {
  const made = await runTask("deployment", count);
  const alone = await runTask("pods", count, "none");
  const ratio = made.cpuMs / alone.cpuMs;
  return [
    rowOf("a Deployment of N replicas to all its pods", count, made),
    {
      what: "CPU of the same beside its API calls alone",
      measured: `${Math.round(made.cpuMs)} ms`,
      beside: `${Math.round(alone.cpuMs)} ms`,
      ratio,
      budget: `<= ${cpuFactor}`,
      met: ratio <= cpuFactor,
    },
  ];
}

async function memory(pods: number): Promise<Row[]> {
  const all = await runTask("memory", pods);
  const none = await runTask("memory", pods, "none");
  const { memoryBytes: used = 0, jsonBytes = 1 } = all;
  const added = used - (none.memoryBytes ?? 0);
  return [
    {
      what: `memory that controllers add with ${pods.toLocaleString("en")} pods`,
      measured: `${megabytes(added)} to ${megabytes(none.memoryBytes ?? 0)}`,
      beside: `${megabytes(jsonBytes)} of JSON`,
      ratio: added / jsonBytes,
      budget: `<= ${memoryFactor} x JSON`,
      met: added <= memoryFactor * jsonBytes,
    },
  ];
}

async function idle(seconds: number): Promise<Row[]> {
  const target = await startUp();
  try {
    await pause(10);
    const before = target.cpuSeconds();
    await pause(seconds);
    const after = target.cpuSeconds();
    if (before === undefined || after === undefined) return [];
    const share = (after - before) / seconds;
    return [
      {
        what: `an idle orch up, over ${seconds} s`,
        measured: `${(share * 100).toFixed(2)} % of a core`,
        beside: "",
        budget: `< ${idleShareMax * 100} %`,
        met: share < idleShareMax,
      },
    ];
  } finally {
    await target.close();
  }
}

const pause = (seconds: number) => new Promise((done) => setTimeout(done, seconds * 1000));
