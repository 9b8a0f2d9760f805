/** Memory of an informer of `orch/client` that follows many pods, beside the bytes of their JSON. */

import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { createServer } from "../../src/main/library.ts";
import { benchPod } from "../pod.ts";
import { megabytes, type Row } from "../report.ts";

const factor = 2;
/** How many of the pods differ in more than names; they are passed as an argument, which has its limits. */
const samplesCount = 10;

/** What a process runs that does nothing else: an informer, and answers as a server sends them. Prints a Result. */
const program = (samples: readonly string[], pods: number) => `
  import { connect, Pod } from ${JSON.stringify(pathToFileURL(resolve("dist/client.js")).href)};
  const samples = ${JSON.stringify(samples)};
  const podAt = (index) => samples[index % samples.length]
    .replaceAll("pod-x", "pod-" + index)
    .replace(/"uid":"[^"]{8}/, () => '"uid":"' + String(index).padStart(8, "0"))
    .replace(/"resourceVersion":"\\d+"/, () => '"resourceVersion":"' + (1000 + index) + '"');
  let jsonBytes = 0;
  const fetch = async (path) => {
    const query = new URL(path, "http://x").searchParams;
    if (query.get("sendInitialEvents")) return new Response("{}", { status: 400 });
    if (query.get("watch")) return new Response(new ReadableStream());
    const from = Number(query.get("continue") ?? 0);
    const until = Math.min(${pods}, from + Number(query.get("limit")));
    const items = Array.from({ length: until - from }, (_, at) => podAt(from + at));
    for (const item of items) jsonBytes += item.length;
    const metadata = { resourceVersion: "999999", ...(until < ${pods} ? { continue: String(until) } : {}) };
    return new Response('{"apiVersion":"v1","kind":"PodList","metadata":' + JSON.stringify(metadata) + ',"items":[' + items.join(",") + "]}");
  };
  const bytes = async () => {
    for (let round = 0; round < 4; round++) {
      gc();
      await new Promise((done) => setTimeout(done, 50));
    }
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const client = await connect({ server: { fetch }, vocabulary: "kubernetes" });
  const before = await bytes();
  const began = process.cpuUsage();
  const informer = client.informers({ stalledAfterMs: 3_600_000 }).of(Pod);
  await informer.synced;
  const { user, system } = process.cpuUsage(began);
  const usedBytes = (await bytes()) - before;
  const count = informer.list().length;
  console.log(JSON.stringify({ usedBytes, jsonBytes, count, cpuMs: (user + system) / 1000 }));
  process.exit();
`;

interface Result {
  readonly usedBytes: number;
  readonly jsonBytes: number;
  readonly count: number;
  readonly cpuMs: number;
}

/** Pods as a server prints them: with defaults, and with managed fields of a client. */
async function samplePods(): Promise<string[]> {
  await using server = await createServer({ controllers: false, vocabulary: "kubernetes" });
  const path = "/api/v1/namespaces/default/pods?fieldManager=bench";
  const samples: string[] = [];
  for (let at = 0; at < samplesCount; at++) {
    const body = JSON.stringify(benchPod("pod-x", at));
    const headers = { "content-type": "application/json" };
    samples.push((await (await server.fetch(path, { method: "POST", headers, body })).text()).trim());
    await server.fetch("/api/v1/namespaces/default/pods/pod-x?gracePeriodSeconds=0", { method: "DELETE" });
  }
  return samples;
}

export async function measureInformer(pods: number): Promise<Row[]> {
  const args = ["--expose-gc", "--max-old-space-size=4096", "--input-type=module", "-e"];
  const { stdout } = await promisify(execFile)(process.execPath, [...args, program(await samplePods(), pods)]);
  const { usedBytes, jsonBytes, count, cpuMs } = JSON.parse(stdout) as Result; // what the program prints
  if (count !== pods) throw new Error(`the informer has ${count} of ${pods} pods`);
  const allowed = factor * jsonBytes;
  return [
    {
      what: `memory of an informer with ${pods.toLocaleString("en")} pods`,
      measured: `${megabytes(usedBytes)} (${(cpuMs / 1000).toFixed(1)} s CPU to read them)`,
      beside: `${megabytes(jsonBytes)} of JSON`,
      ratio: usedBytes / jsonBytes,
      budget: `<= ${factor} x JSON = ${megabytes(allowed)}`,
      met: usedBytes <= allowed,
    },
  ];
}
