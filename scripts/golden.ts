/** Writes the golden files of test/golden/ again, for reading the diff, and the lists of kinds. Files of kinds that are gone stay: see test/golden. */

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { apiserverHelp } from "../src/main/commands/envtest.ts";
import { gatesPage } from "../src/main/flags/gate-list.ts";
import { likeOf, likesOf } from "../src/main/flags/like.ts";
import { goldenFiles } from "../src/testing/golden.ts";
import { kindLists } from "./kind-lists.ts";

const folder = join(process.cwd(), "test/golden");
const files = goldenFiles();
for (const [name, text] of files) {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
writeFileSync(join(process.cwd(), "bin/envtest/kube-apiserver.help"), apiserverHelp());
// Each level but the newest has programs of its own, which differ in the name of their folder only.
const programs = join(process.cwd(), "bin/envtest");
const oldest = join(programs, likeOf("kubernetes", "1.21"));
for (const like of likesOf("kubernetes").slice(1))
  if (join(programs, like) !== oldest) cpSync(oldest, join(programs, like), { recursive: true });
writeFileSync(join(process.cwd(), "docs/feature-gates.md"), gatesPage());
const lists = kindLists();
for (const [path, text] of lists) writeFileSync(path, text);
execFileSync("node_modules/.bin/biome", ["format", "--write", ...lists.keys()], { stdio: "ignore" });
console.log(`golden: ${files.size} files; git diff test/golden shows what clients will notice`);
