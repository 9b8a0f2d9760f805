/** A whole run: work on a cluster while things break, heal it, and check every promise. */

import { acknowledged } from "./acknowledged.ts";
import { addresses } from "./addresses.ts";
import { type Cluster, openCluster } from "./cluster.ts";
import { endpoints } from "./endpoints.ts";
import { leadership } from "./leadership.ts";
import { propagation } from "./propagation.ts";
import { quotas } from "./quotas.ts";
import { registers } from "./registers.ts";
import { restartAll } from "./rolling-restart.ts";
import type { Subject } from "./subject.ts";
import { makeTrouble } from "./trouble.ts";
import { watchers } from "./watchers.ts";
import { writeGaps } from "./write-gaps.ts";

export interface ScenarioOptions {
  /** The path of the program. */
  readonly etcd: string;
  readonly seed: number;
  /** How long things break. */
  readonly troubleMs: number;
  readonly lastsMs: readonly [number, number];
  /** Whether to wait until the address of a killed server is taken off the endpoints: half a minute. */
  readonly waitForExpiry: boolean;
  /** How many things break at least, however long that takes; the default is 0. */
  readonly troublesMin?: number;
  /** How often all servers are restarted one after the other in the end; the default is 1. */
  readonly restarts?: number;
  log(line: string): void;
}

export async function runScenario(options: ScenarioOptions): Promise<void> {
  const { seed, log } = options;
  const cluster = await openCluster(options);
  let failed = true;
  try {
    log(`seed ${seed}, logs in ${cluster.folder}`);
    await work(cluster, options);
    failed = false;
  } finally {
    await cluster.close({ keepFolder: failed });
  }
}

async function work(cluster: Cluster, options: ScenarioOptions): Promise<void> {
  const { troubleMs, lastsMs, waitForExpiry, troublesMin = 0, restarts = 1, log } = options;
  const subjects: readonly Subject[] = [
    registers(cluster),
    acknowledged(cluster),
    watchers(cluster),
    quotas(cluster),
    addresses(cluster),
    propagation(cluster),
    leadership(cluster),
    endpoints(cluster, { waitForExpiry }),
  ];
  const stop = new AbortController();
  const working = Promise.all(
    subjects.map((subject) =>
      subject.run(stop.signal).catch((error: unknown) => {
        stop.abort();
        throw new Error(subject.name, { cause: error });
      }),
    ),
  );
  working.catch(() => {}); // awaited below, after the trouble has been healed
  const endMs = Date.now() + troubleMs;
  const isEnough = (count: number) => Date.now() >= endMs && count >= troublesMin;
  const count = await makeTrouble(cluster, { signal: stop.signal, isEnough, lastsMs, restMs: 500, log });
  stop.abort();
  log(`${count} troubles are over; everything is whole again`);
  await working;
  for (const subject of subjects) {
    const line = await subject.verify().catch((error: unknown) => {
      throw new Error(subject.name, { cause: error });
    });
    log(`${subject.name}: ${line}`);
  }
  log(writeGaps(cluster));
  for (let restart = 0; restart < restarts; restart += 1) log(await restartAll(cluster));
}
