/** Simulated nodes: how fast they come, how fast pods run on them, and what they cost when nothing happens. */

import type { TaskResult } from "../controllers-process.ts";
import { runTask } from "../controllers-task.ts";
import type { Row } from "../report.ts";

const runningCpuSecondsMax = 60;
const idleShareMax = 0.02;

export async function measureSimulation(quick: boolean): Promise<Row[]> {
  const scale = quick ? 10 : 1;
  const [nodes, pods, idlePods] = [1_000 / scale, 5_000 / scale, 10_000 / scale];
  const ready = await runTask("nodes", nodes, String(nodes));
  const running = await runTask("running", pods, String(nodes));
  const idle = await runTask("idle", idlePods, String(nodes / 10));
  const idleShare = idle.cpuMs / idle.ms;
  return [
    { what: `${count(nodes)} simulated nodes to ready`, measured: timesOf(ready), beside: "", budget: "" },
    {
      what: `${count(pods)} pods on them from creation to Running`,
      measured: timesOf(running),
      beside: "",
      // A few pods run before the code is warm: their costs say nothing about many.
      ...(quick
        ? { budget: "" }
        : { budget: `< ${runningCpuSecondsMax} s CPU`, met: running.cpuMs / 1_000 < runningCpuSecondsMax }),
    },
    {
      what: `${count(idlePods)} idle pods on ${count(nodes / 10)} nodes`,
      measured: `${(idleShare * 100).toFixed(2)} % of a core`,
      beside: "",
      budget: `< ${idleShareMax * 100} %`,
      met: idleShare < idleShareMax,
    },
  ];
}

const count = (of: number) => of.toLocaleString("en");
const timesOf = ({ ms, cpuMs }: TaskResult) => `${(ms / 1_000).toFixed(1)} s, ${(cpuMs / 1_000).toFixed(1)} s CPU`;
