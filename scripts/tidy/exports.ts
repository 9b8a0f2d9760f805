/** What a file exports, another file imports. */

import { posix } from "node:path";
import { type Finding, isSource, type Tree, testFile } from "./tree.ts";

/** Files whose exports are read from outside: entries of the package, and the page that a browser loads. */
const readOutside = /^src\/(main\/(cli|ctl|library|testing)\.ts|kit\/|console\/main\.tsx|testing\/)/;

const exported =
  /^export (?:async function\*?|function\*?|const|let|interface|type|class|abstract class|enum) ([\w$]+)/gm;
const imported = /(?:import|export)\s+(?:type\s+)?(\*(?:\s+as\s+\w+)?|\{[^}]*\})\s*from\s*["'](\.{1,2}\/[^"']+)["']/g;
/** A file that is loaded later, or started as a process of its own. */
const namedWhole = /(?<!from\s*)["']((?:\.{1,2}\/)?[\w./-]+\.ts)["']/g;

const limitRow = /^\| `(\w+)` \|[^|]*\| `(src\/[\w/-]+\.ts)` \|/gm;

export function needlessExports(tree: Tree): Finding[] {
  const uses = usesOf(tree);
  const findings: Finding[] = [];
  for (const [file, text] of tree) {
    if (!file.startsWith("src/") || !isSource(file) || testFile.test(file) || readOutside.test(file)) continue;
    const { names, isWhole } = uses.get(file) ?? { names: new Set<string>(), isWhole: false };
    if (isWhole) continue;
    const needless = new Set(
      [...text.matchAll(exported)].map(([, name = ""]) => name).filter((one) => !names.has(one)),
    );
    for (const name of needless) {
      const fix = "remove the word export, or the declaration if its own file does not use it either";
      findings.push({ level: "error", file, problem: `exports ${name}, which no other file imports`, fix });
    }
  }
  return findings;
}

interface Uses {
  readonly names: Set<string>;
  /** Everything that the file exports may be used. */
  isWhole: boolean;
}

function usesOf(tree: Tree): Map<string, Uses> {
  const uses = new Map<string, Uses>();
  const of = (file: string, path: string) => {
    const target = posix.normalize(posix.join(posix.dirname(file), path));
    const known = uses.get(target) ?? { names: new Set<string>(), isWhole: false };
    uses.set(target, known);
    return known;
  };
  for (const [file, text] of tree) {
    if (!/\.(tsx?|mjs)$/.test(file)) continue;
    for (const [, names = "", path = ""] of text.matchAll(imported)) {
      const known = of(file, path);
      if (names.startsWith("*")) known.isWhole = true;
      for (const one of names.replace(/[{}]/g, "").split(","))
        known.names.add(
          one
            .trim()
            .replace(/^type\s+/, "")
            .split(/\s+as\s+/)[0] ?? "",
        );
    }
    for (const [, path = ""] of text.matchAll(namedWhole)) of(file, path).isWhole = true;
  }
  // A test compares the limits of this page with the sources.
  for (const [, name = "", path = ""] of (tree.get("docs/operations.md") ?? "").matchAll(limitRow))
    of("README.md", path).names.add(name);
  return uses;
}
