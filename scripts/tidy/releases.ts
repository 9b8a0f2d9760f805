/** Rooms of the engine say what differs between releases in declarations, or by the names of src/machinery/schema/features.ts. */

import { type Finding, isSource, roomOf, type Tree, testFile } from "./tree.ts";

const rooms: ReadonlySet<string> = new Set([
  "http",
  "registry",
  "machinery",
  "actions",
  "extensions",
  "upkeep",
  "admission",
  "simulation",
  "scheduler",
  "authz",
  "authn",
  "main",
]);

/** The tables of features and of levels. */
const tables: ReadonlySet<string> = new Set(["src/machinery/schema/features.ts", "src/machinery/schema/levels.ts"]);

/** A question for a release, and a constant for one; `.since("1.25")` of a field and `since("1.25", value)` of a list are declarations. */
const questions = [
  /(?<!\)\s*\.)\b(?:isSince\([^()]*,\s*|since\??\.?\(\s*)"1\.\d+"\s*\)/g,
  /\bconst \w+ = "1\.\d+";/g,
  /[!=]== "1\.\d\d"/g,
];

export function namedReleases(tree: Tree): Finding[] {
  const findings: Finding[] = [];
  for (const [file, text] of tree) {
    if (!rooms.has(roomOf(file) ?? "") || !isSource(file) || testFile.test(file) || tables.has(file)) continue;
    for (const [found] of questions.flatMap((question) => [...text.matchAll(question)])) {
      const fix = "give the difference a name in src/machinery/schema/features.ts, and ask environment.has";
      findings.push({ level: "error", file, problem: `asks for a release: ${found}`, fix });
    }
  }
  return findings;
}
