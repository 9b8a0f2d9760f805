/**
 * Tests, and the programs that they start, make their temporary files in one folder of this run. A run fails if something is left there: who
 * makes a folder removes it, and so do our programs. It fails as well if programs are left running. The folder and the programs go in any case: also
 * when the run is killed.
 */

import { chmodSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { TestProject } from "vitest/node";
import { endPrograms, endWithRun, programsOf } from "./programs-of-run.ts";

/** A program that a test has told to end may still be ending, or removing its folder. */
const endingMsMax = 5_000;
const lookMs = 100;

export default function setup(
  { config }: { readonly config: Pick<TestProject["config"], "testNamePattern"> },
  patienceMs = endingMsMax,
): () => Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "orch-run-"));
  const stopWatching = endWithRun(folder);
  // Programs that refuse to be root have a folder of their own in it.
  chmodSync(folder, 0o711);
  // TEMP and TMP are for programs on Windows.
  for (const name of ["TMPDIR", "TEMP", "TMP"]) process.env[name] = folder;
  const left = () => readdirSync(folder).filter((name) => !isOfOthers.test(name));
  const isClean = () => left().length === 0 && programsOf(folder).length === 0;
  return async () => {
    for (let waitedMs = 0; waitedMs < patienceMs && !isClean(); waitedMs += lookMs) await sleep(lookMs);
    const names = left();
    const running = endPrograms(folder);
    if (running.length > 0)
      console.error(`tests left programs, which were ended: ${running.map(({ command }) => command).join("; ")}`);
    if (names.length > 0) console.error(`tests left temporary files: ${names.sort().join(", ")}`);
    stopWatching();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    // The hooks of files whose tests are all left out by their names do not run.
    if (names.length + running.length === 0 || config.testNamePattern !== undefined) return;
    // An error that is thrown here is shown, but the run would still pass.
    process.exitCode = 1;
  };
}

/** Caches of other programs: Node, and the client library of Python. */
const isOfOthers = /^(node-compile-cache|osrcp-\w+\.json)$/;
