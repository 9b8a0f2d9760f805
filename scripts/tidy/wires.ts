/** The wire of a controller watches and queues; its plan decides, and src/controllers/carry-out.ts sends the requests. */

import type { Finding, Tree } from "./tree.ts";

const wireLines = 60;

export function wires(tree: Tree): Finding[] {
  const findings: Finding[] = [];
  for (const [file, text] of tree) {
    if (!/^src\/controllers\/[^/]+\/wire\.ts$/.test(file)) continue;
    const lines = text.trimEnd().split("\n").length;
    if (lines > wireLines)
      findings.push({
        level: "error",
        file,
        problem: `has ${lines} lines, more than ${wireLines}`,
        fix: "move what decides to reconcile.ts, and what several controllers need to parts/",
      });
    if (/\bclient\.(of|at)\(/.test(text))
      findings.push({
        level: "error",
        file,
        problem: "calls the API",
        fix: "return a plan with the request; its `next` gets the answer",
      });
  }
  return findings;
}
