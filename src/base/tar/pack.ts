/** Packs local files and folders as entries of an archive. */

import { createReadStream } from "node:fs";
import { lstat, readdir, readlink } from "node:fs/promises";
import { join } from "node:path";
import { entryTypes } from "./header.ts";
import type { TarSource } from "./writer.ts";

/**
 * Links are packed as links and empty folders as folders; other folders result from their contents. Devices are
 * skipped.
 */
export async function* pack(path: string, name: string, warn: (message: string) => void): AsyncGenerator<TarSource> {
  const found = await lstat(path);
  const header = { name, size: 0, mode: found.mode, mtime: found.mtimeMs / 1000, linkName: "" };
  if (found.isDirectory()) {
    const inside = (await readdir(path)).sort();
    if (inside.length === 0) yield { ...header, name: `${name}/`, type: entryTypes.directory };
    for (const one of inside) yield* pack(join(path, one), `${name}/${one}`, warn);
  } else if (found.isSymbolicLink()) {
    yield { ...header, type: entryTypes.symbolicLink, linkName: await readlink(path) };
  } else if (found.isFile()) {
    const body = found.size === 0 ? [] : (createReadStream(path, { end: found.size - 1 }) as AsyncIterable<Uint8Array>);
    yield { ...header, type: entryTypes.file, size: found.size, body };
  } else warn(`skipping "${path}": neither a file nor a directory`);
}
