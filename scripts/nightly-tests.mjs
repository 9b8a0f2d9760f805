/**
 * Files that `npm test` leaves for the night (`npm run test:all`): what only shows again, with another program or a browser, what recordings
 * and sessions in one process show at every run, and searches for what has tests of its own. A file that is named on the command line always runs.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Each with its reason, as scripts/nightly-tests.txt has them: "path: why". */
export function nightlyTests(root) {
  const lines = readFileSync(join(root, "scripts/nightly-tests.txt"), "utf8").split("\n").filter(Boolean);
  return lines.map((line) => {
    const at = line.indexOf(": ");
    return { path: line.slice(0, at), why: line.slice(at + 2) };
  });
}

/** In the form of vitest's `exclude`. `words`: the command line. */
export function excludedTests(root, words, env) {
  if (env.LONG_TESTS !== undefined) return [];
  const named = (path) =>
    words.some((word) => /^(src|test|examples)\//.test(word) && (path.startsWith(word) || word.startsWith(path)));
  return nightlyTests(root)
    .filter(({ path }) => !named(path))
    .map(({ path }) => (path.endsWith("/") ? `${path}**` : path));
}
