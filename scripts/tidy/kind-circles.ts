/**
 * Declarations of kinds import each other in one direction, so that kind, rules and fields can be read in that order; and so do the files of the
 * language that they are written in.
 */

import { reaches } from "./folders.ts";
import { type Finding, importsOf, isSource, roomOf, type Tree, testFile } from "./tree.ts";

/** Circles that are there, each with the reason why. Nothing may be added without one. */
const exceptions: ReadonlySet<string> = new Set([
  // The list of meters has the type of what it lists.
  "src/api/quota/meter.ts",
  // A kind may bring its codec and its conversion, which get the bound kind and its objects.
  "src/machinery/schema/catalog.ts",
  "src/machinery/schema/kind.ts",
]);

const isDeclaration = (file: string): boolean => roomOf(file) === "api" || file.startsWith("src/machinery/schema/");

/** Types count as well: a kind whose rules need its type has fields that belong in a file below both. */
export function kindCircles(tree: Tree): Finding[] {
  const imports = new Map<string, ReadonlySet<string>>();
  for (const [file, text] of tree) {
    if (!isDeclaration(file) || !isSource(file) || testFile.test(file) || exceptions.has(file)) continue;
    imports.set(file, new Set(importsOf(file, text)));
  }
  const findings: Finding[] = [];
  for (const [file, targets] of imports) {
    for (const target of targets) {
      if (!reaches(imports, target, file)) continue;
      const fix = "move the fields that both need to a file below them, such as <kind>-spec.ts";
      findings.push({
        level: "error",
        file,
        problem: `imports ${target}, which imports it, itself or through others`,
        fix,
      });
    }
  }
  return findings;
}
