/** Files that only their owner may read, such as caches of what a server has answered. */

import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Replaces the file atomically; a failure to write it is not an error. */
export function writePrivate(file: string, content: string): void {
  const draft = `${file}.${process.pid}`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(draft, content, { mode: 0o600 });
    chmodSync(draft, 0o600);
    renameSync(draft, file);
  } catch {
    rmSync(draft, { force: true });
  }
}
