/** Lists: the whole collection in four ways, beside a bare server that sends the same bytes. */

import { Connection, prepareRequest } from "../connection.ts";
import { type LoadResult, load } from "../load.ts";
import { groupsCount } from "../pod.ts";
import { median, megabytes, perSecond, type Row } from "../report.ts";
import type { Scene } from "../scene.ts";

const connections = 4;
const budget = 0.6;
const pageSize = 500;
/** A selector's cost may grow by no more than this when four times as much does not match. */
const growthMax = 1.6;

export async function measureList(scene: Scene): Promise<Row[]> {
  const whole = `${scene.collectionPath}`;
  const rows: Row[] = [];
  for (const { what, path, isMeasured } of [
    { what: `list ${scene.pods} pods`, path: whole, isMeasured: true },
    { what: `list ${scene.pods} pods, resourceVersion=0`, path: `${whole}?resourceVersion=0`, isMeasured: false },
  ]) {
    const ratios: number[] = [];
    const results: LoadResult[] = [];
    const bareResults: LoadResult[] = [];
    for (let round = 0; round < scene.rounds; round++) {
      const options = { connections, seconds: scene.seconds, statuses: [200] };
      const request = prepareRequest("GET", path, scene.orch.headers);
      const bareRequest = prepareRequest("GET", "/list", scene.orch.headers);
      const bare = await load(scene.bare, { ...options, request: () => bareRequest });
      const own = await load(scene.orch, { ...options, request: () => request });
      results.push(own);
      bareResults.push(bare);
      ratios.push(
        own.cpuMicros === undefined || bare.cpuMicros === undefined
          ? own.perSecond / bare.perSecond
          : bare.cpuMicros / own.cpuMicros,
      );
    }
    const ratio = median(ratios);
    rows.push({
      what,
      measured: bandwidth(results),
      beside: bandwidth(bareResults),
      ratio,
      budget: isMeasured ? `>= ${budget} of bare https` : "",
      ...(isMeasured ? { met: ratio >= budget } : {}),
    });
  }
  return [...rows, await measureSelector(scene), await measureChunks(scene)];
}

function bandwidth(results: readonly LoadResult[]): string {
  return `${megabytes(median(results.map(({ bytes, seconds }) => bytes / seconds)))}/s`;
}

/** The same matches once among as many others as usual, and once in a namespace where there is nothing else. */
async function measureSelector(scene: Scene): Promise<Row> {
  const options = { connections, seconds: scene.seconds, statuses: [200] };
  const among = prepareRequest("GET", `${scene.collectionPath}?labelSelector=group%3Dg7`, scene.orch.headers);
  const alone = prepareRequest("GET", `${scene.smallPath}?labelSelector=group%3Dg7`, scene.orch.headers);
  const ratios: number[] = [];
  const rates: number[] = [];
  const aloneRates: number[] = [];
  for (let round = 0; round < scene.rounds; round++) {
    const small = await load(scene.orch, { ...options, request: () => alone });
    const large = await load(scene.orch, { ...options, request: () => among });
    rates.push(large.perSecond);
    aloneRates.push(small.perSecond);
    ratios.push((large.cpuMicros ?? 1 / large.perSecond) / (small.cpuMicros ?? 1 / small.perSecond));
  }
  const ratio = median(ratios);
  return {
    what: `list by label, ${Math.ceil(scene.pods / groupsCount)} of ${scene.pods}`,
    measured: perSecond(median(rates)),
    beside: `${perSecond(median(aloneRates))} without the others`,
    ratio,
    budget: `cost <= ${growthMax} x that of the matches alone`,
    met: ratio <= growthMax,
  };
}

async function measureChunks(scene: Scene): Promise<Row> {
  const connection = await Connection.open(scene.orch.tls);
  const start = performance.now();
  let walks = 0;
  let bytes = 0;
  while (performance.now() - start < scene.seconds * 1000) {
    let token = "";
    do {
      const path = `${scene.collectionPath}?limit=${pageSize}${token === "" ? "" : `&continue=${token}`}`;
      const { body, status } = await connection.request(prepareRequest("GET", path, scene.orch.headers), true);
      if (status !== 200 || body === undefined) throw new Error(`the server answered ${status}`);
      bytes += body.length;
      token = /"continue":"([^"]+)"/.exec(body.toString("utf8", 0, 1_000))?.[1] ?? "";
    } while (token !== "");
    walks++;
  }
  connection.close();
  const seconds = (performance.now() - start) / 1000;
  return {
    what: `list ${scene.pods} pods in chunks of ${pageSize}, 1 connection`,
    measured: `${megabytes(bytes / seconds)}/s, ${((seconds / walks) * 1000).toFixed(0)} ms for all`,
    beside: "",
    budget: "",
  };
}
