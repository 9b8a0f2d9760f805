/** Gets of one object from two servers in turns, so that what else the machine does falls on both. */

import { load } from "./load.ts";
import { median, perSecond, withCpu } from "./report.ts";
import type { Target } from "./target.ts";

const connections = 32;

export interface Comparison {
  readonly measured: string;
  readonly beside: string;
  /** How much of the cost of `own` the other server has: 0.9 means that `own` costs a ninth more. */
  readonly ratio: number;
}

interface Targets {
  readonly own: Target;
  readonly other: Target;
}

export async function compareGets({ own, other }: Targets, request: Buffer, rounds: number): Promise<Comparison> {
  const once = async (target: Target) => {
    const done = await load(target, { connections, seconds: 1, statuses: [200], request: () => request });
    return { rate: done.perSecond, cost: done.cpuMicros ?? 1e6 / done.perSecond };
  };
  const measured: Awaited<ReturnType<typeof once>>[] = [];
  const beside: typeof measured = [];
  for (let round = 0; round < rounds; round++) {
    measured.push(await once(own));
    beside.push(await once(other));
  }
  const shown = (sides: typeof measured) =>
    withCpu(perSecond(median(sides.map(({ rate }) => rate))), median(sides.map(({ cost }) => cost)));
  return {
    measured: shown(measured),
    beside: shown(beside),
    ratio: median(measured.map(({ cost }, at) => (beside[at]?.cost ?? Number.NaN) / cost)),
  };
}
