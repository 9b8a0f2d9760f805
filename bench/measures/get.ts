/** Gets of one object from many connections, beside a bare server that returns the same bytes. */

import { prepareRequest } from "../connection.ts";
import { load } from "../load.ts";
import { median, perSecond, type Row, withCpu } from "../report.ts";
import type { Scene } from "../scene.ts";

const connections = 32;
const budget = 0.7;

export async function measureGet(scene: Scene): Promise<Row[]> {
  const path = scene.podPath(0);
  const ratios: number[] = [];
  const rates: number[] = [];
  const bareRates: number[] = [];
  const cpu: number[] = [];
  const bareCpu: number[] = [];
  // In turns, so that what else the machine does falls on both.
  for (let round = 0; round < scene.rounds; round++) {
    const request = prepareRequest("GET", path, scene.orch.headers);
    const bareRequest = prepareRequest("GET", "/get", scene.orch.headers);
    const options = { connections, seconds: scene.seconds, statuses: [200] };
    const bare = await load(scene.bare, { ...options, request: () => bareRequest });
    const own = await load(scene.orch, { ...options, request: () => request });
    rates.push(own.perSecond);
    bareRates.push(bare.perSecond);
    cpu.push(own.cpuMicros ?? Number.NaN);
    bareCpu.push(bare.cpuMicros ?? Number.NaN);
    ratios.push(
      own.cpuMicros === undefined || bare.cpuMicros === undefined
        ? own.perSecond / bare.perSecond
        : bare.cpuMicros / own.cpuMicros,
    );
  }
  const ratio = median(ratios);
  return [
    {
      what: `get one pod, ${connections} connections`,
      measured: withCpu(perSecond(median(rates)), median(cpu)),
      beside: withCpu(perSecond(median(bareRates)), median(bareCpu)),
      ratio,
      budget: `>= ${budget} of bare https`,
      met: ratio >= budget,
    },
  ];
}
