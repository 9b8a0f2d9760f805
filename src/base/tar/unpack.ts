/** Unpacks an archive from a container: files and folders only, never a link, and nothing outside the destination. */

import { constants } from "node:fs";
import { type FileHandle, lstat, mkdir, open, realpath, stat } from "node:fs/promises";
import { basename, join, relative, sep } from "node:path";
import { entryTypes } from "./header.ts";
import { placeOf } from "./place.ts";
import { readTar, type TarEntry } from "./reader.ts";

interface UnpackOptions {
  readonly archive: AsyncIterable<Uint8Array>;
  /** The common prefix of all names. */
  readonly prefix: string;
  /** A folder, or the name of the file that is copied. */
  readonly destination: string;
  readonly warn: (message: string) => void;
}

/**
 * Returns the number of written entries and of entries outside the destination. Throws if something cannot be written.
 */
export async function unpack(options: UnpackOptions): Promise<{ written: number; outside: number }> {
  const { destination, prefix, warn } = options;
  const seen = { written: 0, outside: 0 };
  for await (const entry of readTar(options.archive)) {
    const place = placeOf(entry.name, prefix);
    if (place === undefined) {
      warn(`file "${entry.name}" is outside target destination, skipping`);
      seen.outside++;
      continue;
    }
    const target = join(destination, ...place);
    if (entry.type === entryTypes.symbolicLink || entry.type === entryTypes.hardLink)
      warn(
        `skipping ${entry.type === entryTypes.hardLink ? "hard link" : "symlink"}: "${target}" -> "${entry.linkName}"`,
      );
    else if (entry.type !== entryTypes.directory && entry.type !== entryTypes.file)
      warn(`skipping "${target}": neither a file nor a directory`);
    else if (await write(entry, place, options)) seen.written++;
    else {
      warn(`file "${target}" is outside target destination, skipping`);
      seen.outside++;
    }
  }
  return seen;
}

/** Whether it could be written inside the destination. */
async function write(entry: TarEntry, place: readonly string[], options: UnpackOptions): Promise<boolean> {
  const { destination, prefix } = options;
  if (place.length === 0) {
    if (entry.type === entryTypes.directory) await mkdir(destination, { recursive: true });
    else await fill(await openFile(await fileTarget(destination, prefix)), entry);
    return true;
  }
  await mkdir(destination, { recursive: true });
  const isFolder = entry.type === entryTypes.directory;
  const folder = await insideFolder(destination, isFolder ? place : place.slice(0, -1));
  if (folder === undefined) return false;
  if (isFolder) return true;
  const file = await openInside(join(folder, place.at(-1)!));
  if (file !== undefined) await fill(file, entry);
  return file !== undefined;
}

/** A file that is copied into an existing folder keeps its name. */
async function fileTarget(destination: string, prefix: string): Promise<string> {
  const found = await stat(destination).catch(() => undefined);
  return found?.isDirectory() ? join(destination, basename(prefix)) : destination;
}

/**
 * Creates the folders one by one, since an existing link may lead anywhere: then the path is not inside, and undefined
 * is returned. The destination itself may be a link, because the user named it.
 */
async function insideFolder(destination: string, parts: readonly string[]): Promise<string | undefined> {
  const root = await realpath(destination);
  let folder = root;
  for (const part of parts) {
    folder = join(folder, part);
    const found = await lstat(folder).catch(() => undefined);
    if (found === undefined) await mkdir(folder);
    else if (found.isSymbolicLink()) {
      folder = await realpath(folder);
      const way = relative(root, folder);
      if (way === ".." || way.startsWith(`..${sep}`)) return undefined;
    }
  }
  return folder;
}

const writing = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC;
/** The default mode, without the bits of the process's umask. */
const openFile = (path: string): Promise<FileHandle> => open(path, writing, 0o666);

/** Undefined: a link, or something else that is not a file, already exists there. */
async function openInside(path: string): Promise<FileHandle | undefined> {
  const found = await lstat(path).catch(() => undefined);
  if (found !== undefined && !found.isFile() && !found.isDirectory()) return undefined;
  return open(path, writing | constants.O_NOFOLLOW, 0o666);
}

async function fill(file: FileHandle, entry: TarEntry): Promise<void> {
  try {
    for await (const chunk of entry.body) await file.writeFile(chunk);
  } finally {
    await file.close();
  }
}
