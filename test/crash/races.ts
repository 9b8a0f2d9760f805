/** Runs concurrent clients across crashes and checks whether their results are linearizable. */

import { spawn } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { seededRandom } from "../../src/base/seeded-random.ts";
import type { CrashPoint } from "../../src/kv/embedded/crash-point.ts";
import { openEmbeddedKv } from "../../src/kv/embedded/embedded.ts";
import { isLinearizable, type Operation } from "../../src/kv/linearizable.suite.ts";
import { bundleChild } from "./bundle.ts";
import type { RaceCall, RaceLine, RaceResult, RacerOrders } from "./racer.ts";

/** Where calls are in progress in every state: not yet on disk, on disk but not acknowledged, partly acknowledged. */
const points: readonly CrashPoint[] = [
  "batch: decided",
  "batch: handed over",
  "batch: committed",
  "batch: announced",
  "batch: one of several acknowledged",
  "batch: acknowledged",
];
const keys = ["a", "b", "c"];

export interface RaceReport {
  readonly operations: number;
  /** Writes that were in progress when the process was killed. */
  readonly unknown: number;
}

/** Throws at the first history that cannot have happened, with the seed that repeats it. */
export async function runRaces({ rounds, seed }: { rounds: number; seed: number }): Promise<RaceReport> {
  const program = await bundleChild("test/crash/racer.ts");
  const parent = mkdtempSync(join(tmpdir(), "kv-races-"));
  const folder = join(parent, "data");
  const state = new Map(keys.map((key) => [key, 0n]));
  let operations = 0;
  let unknown = 0;
  try {
    for (let round = 0; round < rounds; round += 1) {
      const random = seededRandom(seed + round);
      const orders: RacerOrders = {
        folder,
        seed: seed + round,
        clients: 2 + Math.floor(random() * 5),
        keys,
        crashPoint: points[round % points.length]!,
        crashAfter: 5 + Math.floor(random() * 40),
      };
      const histories = toHistories(await race(program, orders, join(parent, "journal")));
      const kv = await openEmbeddedKv({ folder });
      for (const [key, history] of histories) {
        const saw = (await kv.get(key))?.revision ?? 0n;
        const after = Number.MAX_SAFE_INTEGER;
        const whole: Operation[] = [...history, { kind: "read", saw, start: after - 1, end: after }];
        if (!isLinearizable(whole, state.get(key))) {
          throw new Error(`seed ${seed + round}, key ${key}: not linearizable from ${state.get(key)}`, {
            cause: whole,
          });
        }
        operations += whole.length;
        unknown += whole.filter(({ kind }) => kind === "unknown").length;
        state.set(key, saw);
      }
      await kv.close();
    }
  } finally {
    for (const path of [parent, program]) rmSync(path, { recursive: true, force: true });
  }
  return { operations, unknown };
}

async function race(program: string, orders: RacerOrders, journal: string): Promise<RaceLine[]> {
  const out = openSync(journal, "w");
  const child = spawn(process.execPath, [program, JSON.stringify(orders)], { stdio: ["ignore", out, "inherit"] });
  closeSync(out);
  const timeout = setTimeout(() => child.kill("SIGKILL"), 20_000);
  const signal = await new Promise((resolve) => child.on("exit", (_code, by) => resolve(by)));
  clearTimeout(timeout);
  if (signal !== "SIGKILL") throw new Error("the racer ended by itself");
  const lines = readFileSync(journal, "utf8").split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as RaceLine); // written by our own child
}

/** Calls without an end were in progress at the crash: a write may have happened, a read proves nothing. */
export function toHistories(lines: readonly RaceLine[]): Map<string, Operation[]> {
  const histories = new Map<string, Operation[]>(keys.map((key) => [key, []]));
  const ends = new Map<number, { readonly line: RaceResult; readonly at: number }>();
  for (const [at, line] of lines.entries()) if ("end" in line) ends.set(line.end, { line, at });
  for (const [start, call] of lines.entries()) {
    if (!("begin" in call)) continue;
    const found = ends.get(call.begin);
    const operation = toOperation(call, found?.line, start, found?.at ?? lines.length);
    if (operation !== undefined) histories.get(call.key)?.push(operation);
  }
  return histories;
}

function toOperation(
  call: RaceCall,
  result: RaceResult | undefined,
  start: number,
  end: number,
): Operation | undefined {
  if (call.kind === "read") {
    return result !== undefined && "saw" in result ? { kind: "read", saw: BigInt(result.saw), start, end } : undefined;
  }
  const expected = BigInt(call.expected);
  if (result === undefined) return { kind: "unknown", expected, remove: call.kind === "delete", start, end };
  if ("refused" in result) return { kind: "refused", expected, start, end };
  if (call.kind === "delete") return { kind: "delete", expected, start, end };
  return "wrote" in result ? { kind: "write", expected, wrote: BigInt(result.wrote), start, end } : undefined;
}
