/** Writes the golden files of test/golden/ again, for reading the diff. Files of kinds that are gone stay: see test/golden. */

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { apiserverHelp } from "../src/main/commands/envtest.ts";
import { gatesPage } from "../src/main/flags/gate-list.ts";
import { goldenFiles } from "../src/testing/golden.ts";

const folder = join(process.cwd(), "test/golden");
const files = goldenFiles();
for (const [name, text] of files) {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
writeFileSync(join(process.cwd(), "bin/envtest/kube-apiserver.help"), apiserverHelp());
writeFileSync(join(process.cwd(), "docs/feature-gates.md"), gatesPage());
console.log(`golden: ${files.size} files; git diff test/golden shows what clients will notice`);
