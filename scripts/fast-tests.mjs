/** Which test files `npm run test:fast` leaves out: those that start processes or browsers, and those that take long. */

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

/** In a test or in a suite that it imports: other programs, real stores with other processes, and tests that have a longer form. */
const slow = /node:child_process|node:cluster|playwright-core|openTestEtcd|startEtcd|LONG_TESTS/;
const folders = ["src", "test", "scripts", "examples"];

/**
 * Files that took more than 0.7 s of processor time when they were measured (`node scripts/test.mjs --cost`), or that wait for seconds. A run of
 * everything starts them first (vitest.config.ts), and names those that it misses here.
 */
export function longTests(root) {
  return readFileSync(join(root, "scripts/long-tests.txt"), "utf8").split("\n").filter(Boolean);
}

/** Paths relative to `root`, in the form that vitest's --exclude takes. */
export function slowTests(root) {
  const known = new Map(longTests(root).map((file) => [join(root, file), true]));
  const tests = folders.flatMap((folder) => filesBelow(join(root, folder))).filter((file) => file.endsWith(".test.ts"));
  return tests.filter((file) => isSlow(file, known)).map((file) => relative(root, file));
}

function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Follows imports of files that exist for tests; what the program itself imports does not count. */
function isSlow(file, known) {
  const before = known.get(file);
  if (before !== undefined) return before;
  known.set(file, false);
  const text = readFileSync(file, "utf8");
  const imports = [...text.matchAll(/from "(\.[^"]+)"/g)].map(([, path]) => resolve(dirname(file), path));
  const result = slow.test(text) || imports.some((path) => isOfTests(path) && isSlow(path, known));
  known.set(file, result);
  return result;
}

const isOfTests = (path) => /\.(suite|fixture|test)\.ts$/.test(path) || /\/test\/[^/]+\/[^/]+\.ts$/.test(path);
