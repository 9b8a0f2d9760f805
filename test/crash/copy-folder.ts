/**
 * A copy of the folder of a store, accessible to its owner only: from Node 24 on a copy no longer keeps the mode of folders.
 * A separate file, since replay.ts is the script of a process of its own.
 */

import { cpSync, mkdirSync } from "node:fs";

export function copyFolder(from: string, to: string): void {
  mkdirSync(to, { mode: 0o700 });
  cpSync(from, to, { recursive: true });
}
