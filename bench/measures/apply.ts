/** Server-side apply, and what it costs to keep books on who owns which field. */

import { prepareRequest } from "../connection.ts";
import { fetchOnce, type LoadResult, load } from "../load.ts";
import { benchPod } from "../pod.ts";
import { median, perSecond, type Row } from "../report.ts";
import type { Scene } from "../scene.ts";

const connections = 32;
const objects = 64;
/** An update with books may cost as much again as the same update without. */
const budget = 2;

export async function measureApply(scene: Scene): Promise<Row[]> {
  const booked = await makePods(scene, "booked");
  const plain = await makePods(scene, "plain");
  // An object whose books were cleared is not tracked again until somebody applies to it.
  for (let i = 0; i < objects; i++) await patchOnce(scene, `${plain}-${i}`, { metadata: { managedFields: [{}] } });

  const ratios: number[] = [];
  const rates = { booked: [] as number[], plain: [] as number[] };
  for (let round = 0; round < scene.rounds; round++) {
    const without = await update(scene, plain, round);
    const withBooks = await update(scene, booked, round);
    rates.plain.push(without.perSecond);
    rates.booked.push(withBooks.perSecond);
    ratios.push(
      withBooks.cpuMicros === undefined || without.cpuMicros === undefined
        ? without.perSecond / withBooks.perSecond
        : withBooks.cpuMicros / without.cpuMicros,
    );
  }
  const ratio = median(ratios);
  const applied = `${scene.scratchPath}/applied`;
  const changed = await apply(scene, applied, (index) => `t${index}`);
  const same = await apply(scene, applied, (index) => `t${index % objects}`);
  return [
    {
      what: "update with managed fields, compared with one without (CPU)",
      measured: perSecond(median(rates.booked)),
      beside: perSecond(median(rates.plain)),
      ratio,
      budget: `<= ${budget} of the update without`,
      met: ratio <= budget,
    },
    row("apply that changes a pod", changed),
    row("apply that repeats itself", same),
  ];
}

const row = (what: string, result: LoadResult): Row => ({
  what: `${what}, ${connections} connections`,
  measured: perSecond(result.perSecond),
  beside: "",
  budget: "",
});

async function makePods(scene: Scene, name: string): Promise<string> {
  await load(scene.orch, {
    connections: 8,
    seconds: 60,
    operations: objects,
    statuses: [201, 409],
    request: (index) => {
      const body = JSON.stringify(benchPod(`${name}-${index}`, index));
      return prepareRequest("POST", scene.scratchPath, scene.orch.headers, body);
    },
  });
  return `${scene.scratchPath}/${name}`;
}

const mergePatch = { "content-type": "application/merge-patch+json" };

async function patchOnce(scene: Scene, path: string, patch: unknown): Promise<void> {
  const request = prepareRequest("PATCH", path, { ...scene.orch.headers, ...mergePatch }, JSON.stringify(patch));
  const { status } = await fetchOnce(scene.orch, request);
  if (status !== 200) throw new Error(`the server answered ${status} to the clearing of managedFields`);
}

function update(scene: Scene, path: string, round: number): Promise<LoadResult> {
  return load(scene.orch, {
    connections,
    seconds: scene.seconds,
    statuses: [200],
    request: (index) => {
      const body = JSON.stringify({ metadata: { labels: { turn: `r${round}-${index}` } } });
      return prepareRequest("PATCH", `${path}-${index % objects}`, { ...scene.orch.headers, ...mergePatch }, body);
    },
  });
}

function apply(scene: Scene, path: string, turn: (index: number) => string): Promise<LoadResult> {
  const headers = { ...scene.orch.headers, "content-type": "application/apply-patch+yaml" };
  return load(scene.orch, {
    connections,
    seconds: scene.seconds,
    statuses: [200, 201],
    request: (index) => {
      const at = index % objects;
      const pod = benchPod(`applied-${at}`, at);
      const metadata = { name: `applied-${at}`, labels: { app: "bench", turn: turn(index) } };
      const body = JSON.stringify({ apiVersion: "v1", kind: "Pod", ...pod, metadata });
      return prepareRequest("PATCH", `${path}-${at}?fieldManager=bench&force=true`, headers, body);
    },
  });
}
