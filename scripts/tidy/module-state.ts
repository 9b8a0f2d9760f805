/** Variables of modules: servers of one process, and tests of one worker, share them. */

import { type Finding, isSource, roomOf, type Tree, testFile } from "./tree.ts";

/** Those that belong to the process itself, or that only remember what follows from values that never change: each with its contract. */
const ofTheProcess: Readonly<Record<string, string>> = {
  "src/base/turns.ts end": "the turn of the event loop, of which a process has one",
  "src/base/time-slice.ts isLongNext": "who waits for the event loop, of which a process has one",
  "src/base/time-slice.ts stepsBeganMs": "the turn of the event loop, of which a process has one",
  "src/machinery/schema/final-values.ts known":
    "frozen values by their text; garbage collection takes what no object has",
  "src/machinery/json/final-facts.ts hasAny": "whether a WeakMap beside it has ever had an entry",
  "src/machinery/json/parts.ts hasLarge": "whether a WeakMap beside it has ever had an entry",
  "src/kv/embedded/crash-point.ts hook": "only the process of the crash harness sets it",
  "src/main/testing/global-setup.ts folder": "a runner of tests calls its setup once in a process",
};

export function moduleVariables(tree: Tree): Finding[] {
  const findings: Finding[] = [];
  for (const [file, text] of tree) {
    if (roomOf(file) === undefined || !isSource(file) || testFile.test(file)) continue;
    for (const [, name = ""] of text.matchAll(/^(?:export )?let (\w+)/gm)) {
      if (Object.hasOwn(ofTheProcess, `${file} ${name}`)) continue;
      const fix =
        "make it a member of what owns it; what is made once or remembered goes through src/base/first-use.ts or latest-answer.ts";
      findings.push({ level: "error", file, problem: `has ${name}, a variable of the module`, fix });
    }
  }
  return findings;
}
