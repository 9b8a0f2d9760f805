/** A copy of a store's folder, accessible to its owner only: from Node 24 on a copy no longer keeps the mode of folders. */

import { cpSync, mkdirSync } from "node:fs";

export function copyFolder(from: string, to: string): void {
  mkdirSync(to, { mode: 0o700 });
  cpSync(from, to, { recursive: true });
}
