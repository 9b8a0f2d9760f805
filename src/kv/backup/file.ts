/** A backup as a file: written whole or not at all, readable by its owner only, read in chunks. */

import { randomBytes } from "node:crypto";
import { constants, createReadStream } from "node:fs";
import { type FileHandle, link, lstat, open, readdir, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { BackupError } from "./format.ts";
import { type BackupPart, readBackup } from "./read.ts";

const fileMode = 0o600;
const chunkBytes = 1024 * 1024;
/** A draft that was not touched for so long belongs to a process that was killed. */
export const abandonedDraftMs = 24 * 3_600_000;

export interface WriteBackupOptions {
  /** Replaces an existing file; default: an existing file is refused. */
  readonly overwrite?: boolean;
  /** Called with the bytes written so far. */
  onBytes?(bytes: number): void;
}

/**
 * Writes under another name, syncs, reads it all again to make sure that the file is a whole backup, and only then gives it its
 * name. Returns its last part.
 */
export async function writeBackupFile(
  path: string,
  chunks: AsyncIterable<Buffer>,
  { overwrite = false, onBytes }: WriteBackupOptions = {},
): Promise<Extract<BackupPart, { is: "seal" }> & { readonly revision: bigint; readonly bytes: number }> {
  if (!overwrite) await refuseExisting(path);
  await removeAbandoned(path);
  const draft = `${path}.${randomBytes(6).toString("hex")}.draft`;
  const file = await open(draft, "wx", fileMode);
  try {
    let bytes: number;
    try {
      await file.chmod(fileMode); // the umask may have removed our own permissions
      bytes = await writeAll(file, chunks, onBytes);
      await file.sync();
    } finally {
      await file.close();
    }
    const { seal, revision } = await verify(draft);
    await place(draft, path, overwrite);
    await syncFolder(dirname(path));
    return { ...seal, revision, bytes };
  } finally {
    await rm(draft, { force: true });
  }
}

/** The parts of the backup in the file; see readBackup. */
export async function* readBackupFile(path: string): AsyncGenerator<BackupPart> {
  const file = await open(path, constants.O_RDONLY).catch((cause: unknown) => {
    throw new BackupError(`the backup ${path} cannot be read: ${reasonOf(cause)}`, { cause });
  });
  try {
    if (!(await file.stat()).isFile()) throw new BackupError(`the backup ${path} is not a file`);
    yield* readBackup(createReadStream("", { fd: file, autoClose: false, highWaterMark: chunkBytes }));
  } finally {
    await file.close();
  }
}

async function verify(path: string): Promise<{ seal: Extract<BackupPart, { is: "seal" }>; revision: bigint }> {
  let revision = 0n;
  for await (const part of readBackupFile(path)) {
    if (part.is === "header") revision = part.header.revision;
    if (part.is === "seal") return { seal: part, revision };
  }
  throw new BackupError("the backup has no seal"); // readBackup throws before
}

async function writeAll(
  file: FileHandle,
  chunks: AsyncIterable<Buffer>,
  onBytes: ((bytes: number) => void) | undefined,
): Promise<number> {
  let bytes = 0;
  for await (const chunk of chunks) {
    await file.writeFile(chunk);
    bytes += chunk.length;
    onBytes?.(bytes);
  }
  return bytes;
}

async function refuseExisting(path: string): Promise<void> {
  // A symbolic link exists even if its target does not: the backup must not be placed at its target, or nowhere.
  const found = await lstat(path).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  });
  if (found !== undefined) throw existing(path);
}

const existing = (path: string) => new BackupError(`${path} exists; choose another name, or give --overwrite`);

/** A link fails if another process has made the file meanwhile; a rename would replace it. */
async function place(draft: string, path: string, overwrite: boolean): Promise<void> {
  if (overwrite) return rename(draft, path);
  await link(draft, path).catch(async (error: unknown) => {
    if (codeOf(error) === "EEXIST") throw existing(path);
    await rename(draft, path); // a file system without links
  });
}

/** A process that was killed leaves its draft behind. */
async function removeAbandoned(path: string): Promise<void> {
  const folder = dirname(path);
  const start = `${basename(path)}.`;
  const names = await readdir(folder).catch((cause: unknown) => {
    throw new BackupError(`the folder ${folder} cannot be used: ${codeOf(cause)}`, { cause });
  });
  for (const name of names) {
    if (!name.startsWith(start) || !/^[0-9a-f]{12}\.draft$/.test(name.slice(start.length))) continue;
    const draft = join(folder, name);
    const found = await stat(draft).catch(() => undefined);
    if (found !== undefined && found.mtimeMs < Date.now() - abandonedDraftMs) await rm(draft, { force: true });
  }
}

/** Makes renames in it durable. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function reasonOf(error: unknown): string {
  const code = codeOf(error);
  return { ENOENT: "there is no such file", EACCES: "this user may not read it" }[code] ?? code;
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}
