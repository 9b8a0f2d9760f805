/** Requests to a server that keeps history, beside the same without: a write has a note more, and no read is dearer. */

import { prepareRequest } from "../connection.ts";
import { load } from "../load.ts";
import { benchPod } from "../pod.ts";
import { median, perSecond, type Row, withCpu } from "../report.ts";
import { startOrch, type Target } from "../target.ts";

/** A write may cost 1.15 of one without. */
const writeRatioMin = 1 / 1.15;
/** Reads must cost the same; what is left is noise. */
const readRatioMin = 0.9;
const path = "/api/v1/namespaces/default/pods";
const listed = 200;

interface Side {
  readonly target: Target;
  created: number;
}

interface Sample {
  readonly rate: number;
  readonly cost: number;
}

export async function measureHistory(quick: boolean): Promise<Row[]> {
  const sides: Side[] = [];
  try {
    for (const limits of [[], ["--history=24h,256Mi"]]) {
      const target = await startOrch("embedded", "AlwaysAllow", undefined, { limits });
      sides.push({ target, created: 0 });
    }
    for (const side of sides) await create(side, { operations: listed });
    const rounds = quick ? 5 : 9;
    return [
      await compare(sides, {
        what: "create of a pod",
        measure: (side) => create(side, { seconds: 2 }),
        rounds,
        ratioMin: writeRatioMin,
      }),
      await compare(sides, { what: "update of a pod (merge patch)", measure: update, rounds, ratioMin: writeRatioMin }),
      await compare(sides, { what: "get of a pod", measure: get, rounds, ratioMin: readRatioMin }),
      await compare(sides, { what: `list of ${listed} pods`, measure: list, rounds, ratioMin: readRatioMin }),
    ];
  } finally {
    for (const { target } of sides) await target.close();
  }
}

interface Comparison {
  readonly what: string;
  readonly rounds: number;
  readonly ratioMin: number;
  measure(side: Side): Promise<Sample>;
}

/** Both servers in turns, so that what else the machine does falls on each of them. */
async function compare(sides: readonly Side[], { what, rounds, ratioMin, measure }: Comparison): Promise<Row> {
  const [without, kept]: [Sample[], Sample[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    without.push(await measure(sides[0]!));
    kept.push(await measure(sides[1]!));
  }
  const shown = (taken: readonly Sample[]) =>
    withCpu(perSecond(median(taken.map(({ rate }) => rate))), median(taken.map(({ cost }) => cost)));
  const ratio = median(kept.map(({ cost }, at) => without[at]!.cost / cost));
  return {
    what: `${what}, with history`,
    measured: shown(kept),
    beside: shown(without),
    ratio,
    budget: `>= ${ratioMin.toFixed(2)} of the same without`,
    met: ratio >= ratioMin,
  };
}

function create(side: Side, until: { readonly operations: number } | { readonly seconds: number }): Promise<Sample> {
  const { target } = side;
  const request = () => {
    const at = side.created++;
    return prepareRequest("POST", path, target.headers, JSON.stringify(benchPod(`p-${at}`, at)));
  };
  return sample(target, { connections: 16, seconds: 60, ...until, statuses: [201], request });
}

function update({ target }: Side): Promise<Sample> {
  let at = 0;
  const headers = { ...target.headers, "content-type": "application/merge-patch+json" };
  const request = () => {
    const body = JSON.stringify({ metadata: { annotations: { at: `${performance.now()}` } } });
    return prepareRequest("PATCH", `${path}/p-${at++ % listed}`, headers, body);
  };
  return sample(target, { connections: 16, seconds: 2, statuses: [200], request });
}

function get({ target }: Side): Promise<Sample> {
  const request = prepareRequest("GET", `${path}/p-0`, target.headers);
  return sample(target, { connections: 32, seconds: 1, statuses: [200], request: () => request });
}

function list({ target }: Side): Promise<Sample> {
  const request = prepareRequest("GET", `${path}?limit=${listed}`, target.headers);
  return sample(target, { connections: 4, seconds: 1, statuses: [200], request: () => request });
}

async function sample(target: Target, options: Parameters<typeof load>[1]): Promise<Sample> {
  const done = await load(target, options);
  return { rate: done.perSecond, cost: done.cpuMicros ?? 1e6 / done.perSecond };
}
