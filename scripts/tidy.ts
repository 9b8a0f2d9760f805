/** Tests the repository itself: import directions, unused files, docs that name missing files, the lock file. */

import { pathToFileURL } from "node:url";
import { namesWithoutExample, stalePages } from "./tidy/api-pages.ts";
import { needlessExports } from "./tidy/exports.ts";
import { unreadFlags } from "./tidy/flags.ts";
import { fileCircles, folderCircles } from "./tidy/folders.ts";
import { gatesWithoutUse } from "./tidy/gates.ts";
import { kindCircles } from "./tidy/kind-circles.ts";
import { moduleVariables } from "./tidy/module-state.ts";
import { readTree } from "./tidy/read-tree.ts";
import { namedReleases } from "./tidy/releases.ts";
import { houseRules, importDirection, unusedFiles } from "./tidy/rooms.ts";
import { codeFromInput, dependencies, lockFile, uncheckedWrites } from "./tidy/safety.ts";
import {
  avoidedWordsIn,
  bareTodos,
  kindsWithoutGoldens,
  limitsWithoutRow,
  longFiles,
  missingFilesInComments,
  missingFilesInDocs,
  missingNamesInReadmes,
  missingNamesInTables,
  repeatedTypeNames,
} from "./tidy/texts.ts";
import type { Finding, Tree } from "./tidy/tree.ts";
import { wires } from "./tidy/wires.ts";

export function inspect(tree: Tree): Finding[] {
  return [
    ...importDirection(tree),
    ...folderCircles(tree),
    ...fileCircles(tree),
    ...kindCircles(tree),
    ...gatesWithoutUse(tree),
    ...namedReleases(tree),
    ...needlessExports(tree),
    ...unreadFlags(tree),
    ...unusedFiles(tree),
    ...houseRules(tree),
    ...stalePages(tree),
    ...namesWithoutExample(tree),
    ...missingFilesInDocs(tree),
    ...missingNamesInTables(tree),
    ...missingNamesInReadmes(tree),
    ...missingFilesInComments(tree),
    ...repeatedTypeNames(tree),
    ...bareTodos(tree),
    ...moduleVariables(tree),
    ...kindsWithoutGoldens(tree),
    ...avoidedWordsIn(tree),
    ...longFiles(tree),
    ...wires(tree),
    ...limitsWithoutRow(tree),
    ...lockFile(tree),
    ...codeFromInput(tree),
    ...uncheckedWrites(tree),
    ...dependencies(tree),
  ];
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const findings = inspect(readTree(process.cwd()));
  for (const { level, file, problem, fix } of findings) console.log(`${level}: ${file}: ${problem}\n  -> ${fix}`);
  const errors = findings.filter((finding) => finding.level === "error").length;
  console.log(errors === 0 ? "tidy: the house is in order" : `tidy: ${errors} to fix`);
  process.exitCode = errors === 0 ? 0 : 1;
}
