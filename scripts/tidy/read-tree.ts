/** Reads the repository, for the rules and for what is written from the sources. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import type { Tree } from "./tree.ts";

const skippedFolders = new Set([".git", "node_modules", "dist", ".cache", "coverage", "results", "golden", ".orch"]);

/** All text files of the repository that the rules look at. */
export function readTree(root: string): Tree {
  const tree = new Map<string, string>();
  const visit = (folder: string) => {
    for (const entry of readdirSync(posix.join(root, folder), { withFileTypes: true })) {
      const path = posix.join(folder, entry.name);
      if (entry.isDirectory()) {
        if (!skippedFolders.has(entry.name)) visit(path);
      } else if (/\.(ts|tsx|mjs|md|json|svg|py|sh|go|java)$/.test(entry.name) || folder === "bin") {
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
