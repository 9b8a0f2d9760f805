/** Watch fan-out: how fast many watchers hear of changes, and what one delivery costs the server. */

import { type ClientHttp2Session, connect } from "node:http2";
import { prepareRequest } from "../connection.ts";
import { load } from "../load.ts";
import { perSecond, type Row } from "../report.ts";
import type { Scene } from "../scene.ts";
import type { Target } from "../target.ts";

const streamsPerSession = 100;
const writers = 4;
/** About 100 kB, well within what a watcher may be behind. */
const changesPerStep = 100;

export async function measureWatch(scene: Scene): Promise<Row[]> {
  const rows: Row[] = [];
  for (const watchers of [200, 1_000]) rows.push(await measureFanOut(scene, watchers));
  const [few, many] = rows.map((row) => Number(row.measured.match(/([\d.]+) µs/)?.[1] ?? Number.NaN));
  const ratio = many! / few!;
  return Number.isNaN(ratio)
    ? rows
    : rows.map((row, at) =>
        at === 0
          ? row
          : { ...row, ratio, beside: "one delivery among 200", budget: "<= 1.2: encoded once", met: ratio <= 1.2 },
      );
}

async function measureFanOut(scene: Scene, watchers: number): Promise<Row> {
  const changes = scene.quick ? 200 : 1_000;
  const namespace = `watch-${watchers}`;
  const path = await scene.makeNamespace(namespace, "configmaps");
  const audience = await openAudience(scene.orch, path, watchers);
  const cpuBefore = scene.orch.cpuSeconds();
  const start = performance.now();
  // A watcher that is too far behind is ended, and the driver reads no faster than the server writes: so in steps.
  for (let made = 0; made < changes; made += changesPerStep) {
    await load(scene.orch, {
      connections: writers,
      seconds: 60,
      operations: changesPerStep,
      statuses: [201],
      request: (index) =>
        prepareRequest(
          "POST",
          path,
          scene.orch.headers,
          JSON.stringify({ metadata: { name: `change-${made + index}` }, data: { text: "x".repeat(500) } }),
        ),
    });
    await audience.heard((made + changesPerStep) * watchers);
  }
  const seconds = (performance.now() - start) / 1000;
  const cpuAfter = scene.orch.cpuSeconds();
  audience.close();
  const deliveries = changes * watchers;
  const cpu =
    cpuBefore === undefined || cpuAfter === undefined
      ? ""
      : `, ${(((cpuAfter - cpuBefore) / deliveries) * 1e6).toFixed(1)} µs each`;
  return {
    what: `watch fan-out, ${watchers} watchers, ${changes} changes`,
    measured: `${perSecond(deliveries / seconds, "event")}${cpu}`,
    beside: "",
    budget: "",
  };
}

/** Counts lines: each is one event. */
export async function openAudience(target: Target, path: string, watchers: number) {
  const { host, port } = target.tls;
  const sessions: ClientHttp2Session[] = [];
  let heard = 0;
  let wake = () => {};
  let wanted = Number.POSITIVE_INFINITY;
  const opened: Promise<void>[] = [];
  for (let at = 0; at < watchers; at++) {
    if (at % streamsPerSession === 0) {
      const session = connect(`https://${host}:${port}`, { rejectUnauthorized: false });
      session.on("error", () => {});
      sessions.push(session);
    }
    const stream = sessions.at(-1)!.request({
      ":path": `${path}?watch=true&resourceVersion=0&timeoutSeconds=600`,
      ...target.headers,
    });
    opened.push(
      new Promise((done, fail) => {
        stream.once("response", (headers) =>
          headers[":status"] === 200 ? done() : fail(new Error(`a watch was answered with ${headers[":status"]}`)),
        );
        stream.once("error", fail);
      }),
    );
    stream.on("error", () => {});
    stream.on("data", (chunk: Buffer) => {
      for (let index = chunk.indexOf(10); index >= 0; index = chunk.indexOf(10, index + 1)) heard++;
      if (heard >= wanted) wake();
    });
  }
  await Promise.all(opened);
  return {
    /** How many events have come so far. */
    count: () => heard,
    async heard(count: number) {
      if (heard >= count) return;
      wanted = count;
      await new Promise<void>((done, fail) => {
        wake = done;
        setTimeout(() => fail(new Error(`after a minute ${heard} of ${count} events had come`)), 60_000).unref();
      });
    },
    close() {
      for (const session of sessions) session.destroy();
    },
  };
}
