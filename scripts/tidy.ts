/** Tests the repository itself: import directions, unused files, docs that name missing files, the lock file. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { pathToFileURL } from "node:url";
import { needlessExports } from "./tidy/exports.ts";
import { folderCircles } from "./tidy/folders.ts";
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
  repeatedTypeNames,
} from "./tidy/texts.ts";
import type { Finding, Tree } from "./tidy/tree.ts";

export function inspect(tree: Tree): Finding[] {
  return [
    ...importDirection(tree),
    ...folderCircles(tree),
    ...needlessExports(tree),
    ...unusedFiles(tree),
    ...houseRules(tree),
    ...missingFilesInDocs(tree),
    ...missingFilesInComments(tree),
    ...repeatedTypeNames(tree),
    ...bareTodos(tree),
    ...kindsWithoutGoldens(tree),
    ...avoidedWordsIn(tree),
    ...longFiles(tree),
    ...limitsWithoutRow(tree),
    ...lockFile(tree),
    ...codeFromInput(tree),
    ...uncheckedWrites(tree),
    ...dependencies(tree),
  ];
}

const skippedFolders = new Set([".git", "node_modules", "dist", ".cache", "coverage", "results", "golden", ".orch"]);

/** All text files of the repository that the rules look at. */
function readTree(root: string): Tree {
  const tree = new Map<string, string>();
  const visit = (folder: string) => {
    for (const entry of readdirSync(posix.join(root, folder), { withFileTypes: true })) {
      const path = posix.join(folder, entry.name);
      if (entry.isDirectory()) {
        if (!skippedFolders.has(entry.name)) visit(path);
      } else if (/\.(ts|tsx|mjs|md|json|svg|py|sh|go)$/.test(entry.name) || folder === "bin") {
        tree.set(path, readFileSync(posix.join(root, path), "utf8"));
      } else if (entry.name.endsWith(".png")) tree.set(path, "");
    }
  };
  visit("");
  // Of golden files only the names matter.
  const golden = "test/golden";
  const names = existsSync(posix.join(root, golden)) ? readdirSync(posix.join(root, golden), { recursive: true }) : [];
  for (const name of names) tree.set(posix.join(golden, String(name).replaceAll("\\", "/")), "");
  for (const name of ["LICENSE", ".npmrc", ".ci/run"]) tree.set(name, "");
  return tree;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const findings = inspect(readTree(process.cwd()));
  for (const { level, file, problem, fix } of findings) console.log(`${level}: ${file}: ${problem}\n  -> ${fix}`);
  const errors = findings.filter((finding) => finding.level === "error").length;
  console.log(errors === 0 ? "tidy: the house is in order" : `tidy: ${errors} to fix`);
  process.exitCode = errors === 0 ? 0 : 1;
}
