/**
 * Runs the tests and ends with the plain line "N passed, N failed", which is what CI reads.
 *
 *   node scripts/test.mjs            everything, after getting what the suites need beyond Node (scripts/provide.mjs)
 *   node scripts/test.mjs src/kv     only the files whose path contains src/kv
 *   node scripts/test.mjs --fast     without the files that start processes (scripts/fast-tests.mjs)
 */

import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { slowTests } from "./fast-tests.mjs";
import { provide } from "./provide.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const report = join(root, ".cache/test-report.json");

const isFast = process.argv.includes("--fast");
const filters = process.argv.slice(2).filter((arg) => arg !== "--fast");
mkdirSync(dirname(report), { recursive: true });
rmSync(report, { force: true });

// A run of one room needs no other programs. Only CI installs what the whole suite needs; a person sees a list of what is missing.
if (filters.length === 0 && !isFast) provide({ log: (line) => console.log(line), install: process.env.CI === "true" });

// Tests that start no process need no program.
const build = isFast
  ? { status: 0 }
  : spawnSync(process.execPath, [join(root, "scripts/build.mjs"), "--if-stale"], { cwd: root, stdio: "inherit" });
if (build.status !== 0) console.error("the build failed: tests that start the program will fail");

const vitest = spawnSync(
  process.execPath,
  [
    join(root, "node_modules/vitest/vitest.mjs"),
    "run",
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${report}`,
    ...(isFast ? slowTests(root).map((file) => `--exclude=${file}`) : []),
    ...filters,
  ],
  { cwd: root, stdio: "inherit" },
);

const { passed, failed, skipped } = countTests();
if (skipped > 0) console.log(`${skipped} skipped: programs that they need are missing, or their names say why`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || vitest.status !== 0 ? 1 : 0;

/** A file that could not be loaded has no tests of its own, so it counts as one that failed. */
function countTests() {
  try {
    const result = JSON.parse(readFileSync(report, "utf8"));
    const broken = result.testResults.filter((file) => file.status === "failed" && file.assertionResults.length === 0);
    const failed = result.numFailedTests + broken.length;
    return {
      passed: result.numPassedTests,
      failed: vitest.status !== 0 && failed === 0 ? 1 : failed,
      skipped: result.numPendingTests + result.numTodoTests,
    };
  } catch {
    return { passed: 0, failed: 1, skipped: 0 };
  }
}
