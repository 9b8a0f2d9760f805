/** Makes a folder and those above it, as `mkdir -p` does, one by one. */

import { mkdirSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

/**
 * The first folder that was made; undefined: all existed. Node's own `recursive` option loops forever if a file system says
 * that a path does not exist although its parent does, as /proc does for every new path.
 */
export function makeFolders(folder: string, mode = 0o777): string | undefined {
  const path = resolve(folder);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return undefined;
  const parent = dirname(path);
  // A parent that is a file is left to the call below, which says so.
  const hasParent = parent === path || statSync(parent, { throwIfNoEntry: false }) !== undefined;
  const first = hasParent ? undefined : makeFolders(parent, mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    const isThere = error instanceof Error && "code" in error && error.code === "EEXIST";
    if (!isThere || !statSync(path).isDirectory()) throw error;
    return first;
  }
  return first ?? path;
}
