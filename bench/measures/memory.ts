/** Memory of a server that holds many pods, beside the bytes of their JSON. */

import { prepareRequest } from "../connection.ts";
import { fetchOnce, load } from "../load.ts";
import { benchPod } from "../pod.ts";
import { megabytes, type Row } from "../report.ts";
import { startOrch } from "../target.ts";

const fixedBytes = 80e6;
const factor = 2;

export async function measureMemory(pods: number): Promise<Row[]> {
  const target = await startOrch("embedded");
  try {
    const path = "/api/v1/namespaces/default/pods";
    await load(target, {
      connections: 64,
      seconds: 600,
      operations: pods,
      statuses: [201],
      request: (index) => prepareRequest("POST", path, target.headers, JSON.stringify(benchPod(`pod-${index}`, index))),
    });
    const one = await fetchOnce(target, prepareRequest("GET", `${path}/pod-0`, target.headers));
    await settle();
    const used = target.memory();
    if (used === undefined) return [];
    const jsonBytes = one.body.length * pods;
    const allowed = factor * jsonBytes + fixedBytes;
    return [
      {
        what: `memory with ${pods.toLocaleString("en")} pods`,
        measured: `${megabytes(used.anonymousBytes)} (resident with the store's file ${megabytes(used.residentBytes)})`,
        beside: `${megabytes(jsonBytes)} of JSON`,
        ratio: used.anonymousBytes / allowed,
        budget: `<= 2 x JSON + 80 MB = ${megabytes(allowed)}`,
        met: used.anonymousBytes <= allowed,
      },
    ];
  } finally {
    await target.close();
  }
}

/** Gives the collector time to drop what the writes have left behind. */
function settle(): Promise<void> {
  return new Promise((done) => setTimeout(done, 3_000));
}
