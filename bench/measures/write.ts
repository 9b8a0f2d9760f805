/** Durable creates and updates from many connections, beside the bare store with the same bytes and as many writers. */

import { prepareRequest } from "../connection.ts";
import { fetchOnce, load } from "../load.ts";
import { benchPod } from "../pod.ts";
import { perSecond, type Row, withCpu } from "../report.ts";
import type { Scene } from "../scene.ts";
import { startChild } from "../target.ts";

const connections = 64;
const budget = 0.5;

export async function measureWrite(scene: Scene): Promise<Row[]> {
  const create = await load(scene.orch, {
    connections,
    seconds: scene.seconds,
    statuses: [201],
    request: (index) => {
      const body = JSON.stringify(benchPod(`created-${index}`, index));
      return prepareRequest("POST", scene.scratchPath, scene.orch.headers, body);
    },
  });
  const stored = await fetchOnce(
    scene.orch,
    prepareRequest("GET", `${scene.scratchPath}/created-0`, scene.orch.headers),
  );
  const bare = scene.isOwn ? await bareStore(scene, stored.body.length) : undefined;
  const update = await load(scene.orch, {
    connections,
    seconds: scene.seconds,
    statuses: [200],
    request: (index) => {
      const at = index % create.operations;
      const pod = benchPod(`created-${at}`, at);
      const metadata = { ...(pod["metadata"] as Record<string, unknown>), labels: { app: "bench", turn: `t${index}` } };
      const path = `${scene.scratchPath}/created-${at}`;
      return prepareRequest(
        "PATCH",
        path,
        { ...scene.orch.headers, "content-type": "application/merge-patch+json" },
        JSON.stringify({ metadata }),
      );
    },
  });
  const ratio = bare === undefined ? undefined : create.perSecond / bare;
  return [
    {
      what: `durable create of a pod, ${connections} connections`,
      measured: withCpu(perSecond(create.perSecond), create.cpuMicros),
      beside: bare === undefined ? "" : perSecond(bare, "put"),
      ...(ratio === undefined ? {} : { ratio, met: ratio >= budget }),
      budget: `>= ${budget} of the bare store`,
    },
    {
      what: `durable update of a pod (merge patch), ${connections} connections`,
      measured: withCpu(perSecond(update.perSecond), update.cpuMicros),
      beside: bare === undefined ? "" : perSecond(bare, "put"),
      ...(bare === undefined ? {} : { ratio: update.perSecond / bare }),
      budget: "",
    },
  ];
}

async function bareStore(scene: Scene, bytes: number): Promise<number> {
  const child = startChild("bare-store", [String(connections), String(scene.seconds), String(bytes)]);
  let text = "";
  for await (const chunk of child.stdout ?? []) text += String(chunk);
  return Number(text);
}
