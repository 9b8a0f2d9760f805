/**
 * Tests of behaviour that name no level are about every level. `npm test` runs them at the default, `npm run test:all` at each, and
 * `TEST_LEVEL=1.35 npm test -- src/ctl` at one.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Rooms whose tests are of that sort. A test that is about one level says so. */
export const roomsOfEveryLevel = ["controllers", "scheduler", "simulation", "ctl", "kit", "testkit"].map(
  (room) => `src/${room}/`,
);

/** The levels of the list in the sources, without the default. */
export function otherLevels(root) {
  const source = readFileSync(join(root, "src/machinery/schema/levels.ts"), "utf8");
  const [, list = ""] = /const rows = \{(.*?)^\}/ms.exec(source) ?? [];
  const [, standard] = /const levelDefault: [^=]*= "([^"]*)"/.exec(source) ?? [];
  const levels = [...list.matchAll(/^ {2}"([^"]*)":/gm)].map(([, level]) => level);
  if (!levels.includes(standard))
    throw new Error("src/machinery/schema/levels.ts has no list of levels that this script can read");
  return levels.filter((level) => level !== standard);
}
