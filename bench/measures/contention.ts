/** What a cluster of simulated nodes costs beside other work: the same requests and about the same processor time, only later. */

import { spawn } from "node:child_process";
import { cpus } from "node:os";
import type { TaskResult } from "../controllers-process.ts";
import { runTask } from "../controllers-task.ts";
import type { Row } from "../report.ts";

/** Processes that never rest, for each core: a fifth of a core is left. */
const othersPerCore = 4;
/** A processor whose caches others use takes longer for the same; requests are the same in number. */
const [cpuRatioMax, writesRatioMax] = [2.5, 1.25];

export async function measureContention(quick: boolean): Promise<Row[]> {
  const [nodes, pods] = quick ? [100, 500] : [1_000, 5_000];
  const alone = await runTask("running", pods, String(nodes));
  const busy = Array.from({ length: cpus().length * othersPerCore }, startBusy);
  let beside: TaskResult;
  try {
    beside = await runTask("running", pods, String(nodes));
  } finally {
    for (const each of busy) each.kill("SIGKILL");
  }
  const what = `${pods.toLocaleString("en")} pods on ${nodes.toLocaleString("en")} nodes beside ${busy.length} busy processes`;
  const row = (of: string, amount: (result: TaskResult) => number, unit: string, ratioMax: number): Row => {
    const ratio = amount(beside) / amount(alone);
    const told = (result: TaskResult) => `${amount(result).toFixed(2)} ${unit}`;
    return {
      what: `${what}: ${of}`,
      measured: `${told(beside)} a pod`,
      beside: `${told(alone)}, alone`,
      ratio,
      budget: `< ${ratioMax}`,
      met: ratio < ratioMax,
    };
  };
  return [
    row("processor time", ({ cpuMs }) => cpuMs / pods, "ms", cpuRatioMax),
    row("writes", ({ writes }) => sum(Object.values(writes)) / pods, "writes", writesRatioMax),
    {
      what: `${what}: time`,
      measured: `${(beside.ms / 1_000).toFixed(1)} s`,
      beside: `${(alone.ms / 1_000).toFixed(1)} s, alone`,
      ratio: beside.ms / alone.ms,
      budget: "",
    },
  ];
}

const sum = (values: readonly number[]) => values.reduce((all, one) => all + one, 0);

/** A process that takes all that it is given. */
const startBusy = () => spawn(process.execPath, ["-e", "for (;;) Math.random()"], { stdio: "ignore" });
