/** Writes docs/api/ from the sources. `npm run check` finds a page that is not what this would write. */

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { apiPages } from "./api-docs/pages.ts";
import { readTree } from "./tidy/read-tree.ts";

const pages = apiPages(readTree(process.cwd()));
for (const [path, text] of pages) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
console.log(`docs: ${[...pages.keys()].join(", ")}`);
