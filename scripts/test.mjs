/**
 * Runs the tests and ends with the plain line "N passed, N failed", which is what CI reads.
 *
 *   node scripts/test.mjs            everything, after getting what the suites need beyond Node (scripts/provide.mjs)
 *   node scripts/test.mjs src/kv     only the files whose path contains src/kv
 *   node scripts/test.mjs --fast     without the files that start processes or take long (scripts/fast-tests.mjs)
 *   node scripts/test.mjs --all      the long form of everything, and the comparisons with the reference's libraries (hours; every night)
 *   node scripts/test.mjs --cost     one file after the other, with the processor time of each (scripts/test-cost.mjs)
 *
 * Many tests wait for programs that share the machine with other tests. When a few files fail in a run of everything, they run
 * again, one at a time: what fails alone is a fault. What passes alone is named, so that its waiting can be repaired.
 */

import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { delimiter, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { slowTests } from "./fast-tests.mjs";
import { nightlyTests } from "./nightly-tests.mjs";
import { otherLevels, roomsOfEveryLevel } from "./other-levels.mjs";
import { provide } from "./provide.mjs";
import { provideClients } from "./provide-clients.mjs";
import { provideNodes } from "./provide-nodes.mjs";
import { providePartners } from "./provide-partners.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const report = join(root, ".cache/test-report.json");
/** A file that takes longer is started among the first (scripts/long-tests.txt): at the end one core would wait for it. */
const longMs = 10_000;
/** More failed files than this are not the fault of a busy machine. */
const mostRepeatedFiles = 6;

const isFast = process.argv.includes("--fast");
const isCounted = process.argv.includes("--cost");
const isAll = process.argv.includes("--all");
const filters = process.argv.slice(2).filter((arg) => !["--fast", "--cost", "--all"].includes(arg));
if (isAll) process.env.LONG_TESTS ??= "1";
mkdirSync(dirname(report), { recursive: true });

// A run of one room needs no other programs. Only CI installs what the whole suite needs; a person sees a list of what is missing.
if (filters.length === 0 && !isFast) provide({ log: (line) => console.log(line), install: process.env.CI === "true" });

if (isAll) providePartners({ log: (line) => console.log(line) });
if (isAll) provideClients({ log: (line) => console.log(line) });

// Tests that start no process need no program.
const build = isFast
  ? { status: 0 }
  : spawnSync(process.execPath, [join(root, "scripts/build.mjs"), "--if-stale"], { cwd: root, stdio: "inherit" });
if (build.status !== 0) console.error("the build failed: tests that start the program will fail");

const excluded = isFast ? slowTests(root).map((file) => `--exclude=${file}`) : [];
// Fast tests wait for little, and each worker loads the sources.
const workers = isFast ? ["--maxWorkers=2"] : [];
const counted = isCounted ? ["--maxWorkers=1", `--reporter=${join(root, "scripts/test-cost.mjs")}`] : [];
let result = runTests([...(isCounted ? counted : workers), ...excluded, ...filters]);
const isWhole = filters.length === 0 && !isFast;
if (isWhole) nameLateFiles(result.longFiles);
if (isWhole && result.failedFiles.length > 0 && result.failedFiles.length <= mostRepeatedFiles) {
  console.log(`Run again, one at a time: ${result.failedFiles.join(", ")}`);
  result = repeated(result, runTests(["--no-file-parallelism", ...result.failedFiles]));
}

if (isAll && isWhole)
  for (const level of otherLevels(root)) {
    console.log(`At level ${level}: ${roomsOfEveryLevel.join(" ")}`);
    result = sum(result, runTests(roomsOfEveryLevel, { TEST_LEVEL: level }));
  }

// The programs that tests start run on the same Node, since they are started with `node` or by the path of this one.
if (isAll && isWhole)
  for (const { version, path } of provideNodes(root, { log: (line) => console.log(line) })) {
    console.log(`On Node ${version}`);
    const PATH = `${dirname(path)}${delimiter}${process.env.PATH ?? ""}`;
    result = sum(result, runTests([], { PATH, LONG_TESTS: undefined }, path));
  }

// Once more in two other orders, with every cache of answers checked (scripts/caches.setup.ts).
if (isAll && isWhole)
  for (const seed of [1, Math.floor(Date.now() / 86_400_000)]) {
    console.log(`With checked caches, in the order of seed ${seed}`);
    result = sum(
      result,
      runTests(["--sequence.shuffle.files", `--sequence.seed=${seed}`], {
        ORCH_CHECK_CACHES: "1",
        LONG_TESTS: undefined,
      }),
    );
  }

const { passed, failed, skipped } = result;
if (isWhole && !isAll)
  console.log(
    `left for the night (npm run test:all): ${nightlyTests(root)
      .map(({ path }) => path)
      .join(", ")}`,
  );
if (skipped > 0) console.log(`${skipped} skipped: programs that they need are missing, or their names say why`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

/**
 * @param {string[]} args further arguments of vitest
 * @param {Record<string, string | undefined>} env further variables; undefined: without it
 * @param {string} node the executable
 */
function runTests(args, env = {}, node = process.execPath) {
  rmSync(report, { force: true });
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const { status } = spawnSync(node, [vitest, "run", ...reporters, ...args], {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, ...env },
  });
  return countTests(status);
}

/** The result of the whole run, in which the tests of the repeated files count as they ended alone. */
function repeated(whole, alone) {
  const stillFailed = new Set(alone.failedFiles);
  for (const file of whole.failedFiles)
    if (!stillFailed.has(file)) console.log(`${file} failed beside other tests and passed alone`);
  // A repeated run that ended badly in another way is never better than what it repeats.
  if (alone.failed === 0 && !alone.isComplete) return whole;
  return { ...whole, passed: whole.passed + whole.failed - alone.failed, failed: alone.failed };
}

function sum(one, other) {
  const total = (name) => one[name] + other[name];
  return { ...one, passed: total("passed"), failed: total("failed"), skipped: total("skipped") };
}

function nameLateFiles(longFiles) {
  const known = new Set(slowTests(root));
  const late = longFiles.filter((file) => !known.has(file));
  if (late.length > 0) console.log(`took long, and belong into scripts/long-tests.txt: ${late.join(", ")}`);
}

/** A file that could not be loaded has no tests of its own, so it counts as one that failed. */
function countTests(status) {
  try {
    const result = JSON.parse(readFileSync(report, "utf8"));
    const failedFiles = result.testResults.filter((file) => file.status === "failed");
    const broken = failedFiles.filter((file) => file.assertionResults.length === 0);
    const failed = result.numFailedTests + broken.length;
    return {
      passed: result.numPassedTests,
      failed: status !== 0 && failed === 0 ? 1 : failed,
      skipped: result.numPendingTests + result.numTodoTests,
      failedFiles: failedFiles.map((file) => relative(root, file.name)),
      longFiles: result.testResults
        .filter(({ startTime, endTime }) => endTime - startTime > longMs)
        .map((file) => relative(root, file.name)),
      isComplete: status === 0,
    };
  } catch {
    return { passed: 0, failed: 1, skipped: 0, failedFiles: [], longFiles: [], isComplete: false };
  }
}
