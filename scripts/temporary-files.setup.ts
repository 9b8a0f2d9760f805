/**
 * Tests, and the programs that they start, make their temporary files in one folder of this run. A run fails if something is left there: who
 * makes a folder removes it, and so do our programs. The folder itself goes in any case, and so do programs that are still running: also when the
 * run is killed.
 */

import { chmodSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { TestProject } from "vitest/node";
import { endPrograms, endWithRun } from "./programs-of-run.ts";

/** A program that a test has told to end may still be removing its folder. */
const patienceMs = 5_000;
const lookMs = 100;

export default function setup({ config }: TestProject): () => Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "orch-run-"));
  const stopWatching = endWithRun(folder);
  // Programs that refuse to be root have a folder of their own in it.
  chmodSync(folder, 0o711);
  // TEMP and TMP are for programs on Windows.
  for (const name of ["TMPDIR", "TEMP", "TMP"]) process.env[name] = folder;
  const left = () => readdirSync(folder).filter((name) => !isOfOthers.test(name));
  return async () => {
    for (let waitedMs = 0; waitedMs < patienceMs && left().length > 0; waitedMs += lookMs) await sleep(lookMs);
    const names = left();
    const running = endPrograms(folder);
    if (running.length > 0)
      console.error(`tests left programs, which were ended: ${running.map(({ command }) => command).join("; ")}`);
    stopWatching();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    // The hooks of files whose tests are all left out by their names do not run.
    if (names.length === 0 || config.testNamePattern !== undefined) return;
    console.error(`tests left temporary files: ${names.sort().join(", ")}`);
    // An error that is thrown here is shown, but the run would still pass.
    process.exitCode = 1;
  };
}

/** Caches of other programs: Node, and the client library of Python. */
const isOfOthers = /^(node-compile-cache|osrcp-\w+\.json)$/;
