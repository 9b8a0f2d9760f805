/** The pages of docs/api/ say what the sources say. */

import { apiPages, withoutExample } from "../api-docs/pages.ts";
import type { Finding, Tree } from "./tree.ts";

export function stalePages(tree: Tree): Finding[] {
  // Trees of tests may have no package at all.
  if (!tree.has("src/kit/orch-client.ts")) return [];
  const pages = apiPages(tree);
  const fix = "run npm run docs, read the diff and commit it";
  const stale = [...pages].filter(([path, text]) => tree.get(path) !== text);
  const left = [...tree.keys()].filter((path) => path.startsWith("docs/api/") && !pages.has(path));
  return [
    ...stale.map(([path]): Finding => ({ level: "error", file: path, problem: "is not what the sources say", fix })),
    ...left.map(
      (path): Finding => ({ level: "error", file: path, problem: "is not written by a script", fix: "delete it" }),
    ),
  ];
}

/** Editors show what a name is for and how it is used; a name without that is found by trial. */
export function namesWithoutExample(tree: Tree): Finding[] {
  if (!tree.has("src/kit/orch-client.ts")) return [];
  return withoutExample(tree).map(
    ({ name, file }): Finding => ({
      level: "error",
      file,
      problem: `exports ${name} to users without an example`,
      fix: "say above it what it is, then @example and a line of code",
    }),
  );
}
