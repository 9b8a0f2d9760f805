/** Makes a disk fail at every call, one after the other, and collects how the store reacted. */

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleChild } from "./bundle.ts";
import { callKinds, type FaultCase, type FaultOrders, type FaultResult } from "./fault-case.ts";

/** Linux's numbers. */
export const errors = { EIO: 5, ENOSPC: 28, EDQUOT: 122, shortWrite: 0 } as const;

export interface FaultOutcome {
  readonly case: FaultCase;
  /** How the store reacted, or what was found after the fault had ended the process. */
  readonly result: FaultResult;
  /** What ended the process; absent: it went on. */
  readonly signal?: string;
}

/** Every kind of call, at each place in twenty operations, with every error, once and permanently, on new and used folders. */
export async function runAllFaults(shim: string): Promise<FaultOutcome[]> {
  const outcomes: FaultOutcome[] = [];
  for (const existing of [false, true]) {
    for (const calls of Object.keys(callKinds) as (keyof typeof callKinds)[]) {
      const fault = { calls, existing, error: 0, from: 0, forever: false, capacity: 0 };
      const [counted] = await runFaultCases(shim, [fault]);
      for (const error of Object.values(errors)) {
        if (calls === "syncs" && error === errors.shortWrite) continue;
        for (const forever of [false, true]) {
          const places = Array.from({ length: counted!.result.calls }, (_, index) => index + 1);
          const cases = places.map((from) => ({ ...fault, error, forever, from }));
          outcomes.push(...(await runFaultCases(shim, cases)));
        }
      }
    }
  }
  return outcomes;
}

/** Runs the cases in one process after the other: a new process starts only after a case has ended the previous one. */
export async function runFaultCases(shim: string, cases: readonly FaultCase[]): Promise<FaultOutcome[]> {
  const program = await bundleChild("test/crash/faulty-disk.ts");
  const parent = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "kv-faults-"));
  const control = join(parent, "control");
  const folder = join(parent, "disk");
  const outcomes: FaultOutcome[] = [];
  let signal: string | undefined;
  try {
    while (outcomes.length < cases.length) {
      writeFileSync(control, Buffer.alloc(64));
      const rest = cases.slice(outcomes.length);
      // After a case that ended the process, the first line describes what that case left behind.
      const aftermath = signal !== undefined;
      const orders: FaultOrders = { control, folder, aftermath, cases: aftermath ? rest.slice(1) : rest };
      const done = spawnSync(process.execPath, [program, JSON.stringify(orders)], {
        env: { ...process.env, LD_PRELOAD: shim, DISK_FOLDER: folder, DISK_CONTROL: control },
        timeout: 300_000,
        maxBuffer: 64 * 1024 * 1024,
      });
      const lines = String(done.stdout).split("\n").slice(0, -1);
      for (const [index, line] of lines.entries()) {
        const result = JSON.parse(line) as FaultResult; // written by our own child
        outcomes.push({ case: rest[index]!, result, ...(aftermath && index === 0 && { signal: signal! }) });
      }
      if (lines.length === rest.length) break;
      if (done.signal === null || (aftermath && lines.length === 0)) {
        throw new Error(`the process ended with ${done.status ?? done.signal}: ${done.stderr}`);
      }
      signal = done.signal;
    }
  } finally {
    for (const path of [parent, program]) rmSync(path, { recursive: true, force: true });
  }
  return outcomes;
}
