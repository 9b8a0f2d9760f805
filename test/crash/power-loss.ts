/** Runs writers on a disk that records everything, then simulates losses of power at any moment of the record. */

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { seededRandom } from "../../src/base/seeded-random.ts";
import { bundleChild } from "./bundle.ts";
import { copyFolder } from "./copy-folder.ts";
import type { WriterOrders } from "./journal.ts";
import type { ReplayOrders, ReplayReport } from "./replay.ts";

export interface PowerLossOptions {
  /** The compiled shim. */
  readonly shim: string;
  readonly seed: number;
  /** How many times a writer runs; each continues from a state that a loss of power left, every fourth starts afresh. */
  readonly runs: number;
  /** How many states of the disk are derived from each run. */
  readonly states: number;
  /** Passed to the replay, to check that it would notice. */
  readonly ignore?: ReplayOrders["ignore"];
  readonly onRun?: (report: PowerLossReport) => void;
}

export interface PowerLossReport {
  readonly states: number;
  readonly moments: number;
  readonly acknowledged: number;
}

const runsPerFolder = 4;
const childTimeoutMs = 600_000;
/** How long a writer runs: some hundred commits, and never less than those on a busy machine. */
const writingMs = 120;
const writesMin = 60;

/** Throws at the first broken promise, with the seed that repeats it. */
export async function runPowerLosses(options: PowerLossOptions): Promise<PowerLossReport> {
  const writer = await bundleChild("test/crash/writer.ts");
  const replay = await bundleChild("test/crash/replay.ts");
  // Thousands of small stores are created and deleted: in memory where possible.
  const parent = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "kv-power-"));
  const total = { states: 0, moments: 0, acknowledged: 0 };
  try {
    for (let run = 0; run < options.runs; run += 1) {
      if (run % runsPerFolder === 0) clear(parent);
      const report = runOnce({ ...options, seed: options.seed + run }, { writer, replay, parent });
      if (report.broken !== undefined) throw new Error(report.broken);
      total.states += report.states;
      total.moments += report.moments;
      total.acknowledged += report.acknowledged;
      options.onRun?.(total);
    }
  } finally {
    for (const path of [parent, writer, replay]) rmSync(path, { recursive: true, force: true });
  }
  return total;
}

function clear(parent: string): void {
  rmSync(parent, { recursive: true, force: true });
  mkdirSync(parent, { mode: 0o700 });
}

function runOnce(
  { shim, seed, states, ignore }: PowerLossOptions,
  { writer, replay, parent }: { writer: string; replay: string; parent: string },
): ReplayReport {
  const [folder, before, next, work] = ["data", "before", "next", "work"].map((name) => join(parent, name)) as [
    string,
    string,
    string,
    string,
  ]; // one for each name
  const log = join(parent, "log");
  for (const path of [folder, before, work, log]) rmSync(path, { recursive: true, force: true });
  mkdirSync(work);
  if (existsSync(next)) {
    copyFolder(next, folder);
    copyFolder(next, before);
    rmSync(next, { recursive: true });
  }
  const writers = 1 + Math.floor(seededRandom(seed)() * 8);
  const writing: WriterOrders = {
    folder,
    seed,
    writers,
    crashAfter: 1,
    stopAfterMs: writingMs,
    stopAfterWrites: writesMin,
  };
  run(writer, writing, { LD_PRELOAD: shim, DISK_FOLDER: folder, DISK_LOG: log });
  const orders: ReplayOrders = {
    log,
    folder,
    work,
    next,
    seed,
    states,
    ...(existsSync(before) && { before }),
    ...(ignore !== undefined && { ignore }),
  };
  return JSON.parse(run(replay, orders, {})) as ReplayReport; // written by our own child
}

function run(program: string, orders: object, variables: NodeJS.ProcessEnv): string {
  const done = spawnSync(process.execPath, [program, JSON.stringify(orders)], {
    env: { ...process.env, ...variables },
    timeout: childTimeoutMs,
    maxBuffer: 64 * 1024 * 1024,
  });
  if (done.status !== 0) {
    throw new Error(`${JSON.stringify(orders)} ended with ${done.status ?? done.signal}: ${done.stderr}`);
  }
  return String(done.stdout);
}
