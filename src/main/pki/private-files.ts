/** Files that only their owner may read: folders 0700, keys 0600, written whole or not at all. */

import { randomBytes } from "node:crypto";
import { access, chmod, constants, link, open, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname, resolve, sep } from "node:path";
import { makeFolders } from "../../base/make-folders.ts";
import { syncFolder } from "../../kv/backup/file.ts";

/** A file or folder that others could read or change. The message names it and the command that repairs it. */
export class UnsafeFileError extends Error {}

const folderMode = 0o700;
const fileMode = 0o600;

/** Makes the folder if it is missing. A folder that others may enter is refused. `flag` is the flag that names the folder. */
export async function openPrivateFolder(folder: string, flag: string): Promise<void> {
  await openFolder(folder, flag);
  await requirePrivate(folder, folderMode);
}

/** Like `openPrivateFolder`, but others may enter the folder, which the keys in it do not depend on. They may not change it. */
export async function openGuardedFolder(folder: string, flag: string): Promise<void> {
  await openFolder(folder, flag);
  await requireMode(folder, { forbidden: 0o022, risk: "change", repair: "go-w" });
}

/** A folder that cannot be made or written to. The message has its path, the reason and the flag that names another. */
export class FolderError extends Error {}

const folderProblems: Readonly<Record<string, string>> = {
  EACCES: "this user has no right to write there",
  EPERM: "this user has no right to write there",
  EROFS: "the file system can only be read",
  EEXIST: "there is a file of this name",
  ENOTDIR: "its path leads through a file",
  ENOSPC: "the disk is full",
  ENOENT: "the file system does not allow new folders there",
};

/** Makes the folder, for its owner only, if it is missing; the mode of an existing folder stays as it is. */
export async function openFolder(folder: string, flag: string): Promise<void> {
  if (folder === "") throw new FolderError(`--${flag} must name a folder`);
  try {
    const made = makeFolders(folder, folderMode);
    if (made !== undefined) await chmod(folder, folderMode); // the process's umask may have been stricter
    await access(folder, constants.W_OK | constants.X_OK);
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : String(cause);
    const problem = folderProblems[code] ?? code;
    throw new FolderError(`the folder ${folder} cannot be used: ${problem}; choose another --${flag}`, { cause });
  }
}

/** The content; undefined: no such file. A file that others may read is refused. */
export async function readPrivateFile(path: string): Promise<string | undefined> {
  try {
    await requirePrivate(path, fileMode);
    return await readFile(path, "utf8");
  } catch (error) {
    // A path through a file has none either; the code that makes the folder says what is wrong with it.
    if (isCode(error, "ENOENT") || isCode(error, "ENOTDIR")) return undefined;
    if (isCode(error, "EACCES")) throw new FolderError(await whyUnreadable(path), { cause: error });
    throw error;
  }
}

/** The file itself, or the first folder on the way to it that this user may not enter. */
async function whyUnreadable(path: string): Promise<string> {
  const names = dirname(resolve(path)).split(sep);
  for (const at of names.keys()) {
    const folder = names.slice(0, at + 1).join(sep) || sep;
    const isOpen = await access(folder, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (!isOpen) return `${path} cannot be read: this user may not enter the folder ${folder}`;
  }
  return `${path} cannot be read: this user may not read the file`;
}

/** Replaces the file in one step, so that a reader sees the old or the new content and a crash leaves no partial file. */
export async function writePrivateFile(path: string, content: string): Promise<void> {
  const draft = await writeDraft(path, content);
  try {
    await rename(draft, path);
    await syncFolder(dirname(path));
  } finally {
    await rm(draft, { force: true });
  }
}

/** Writes a file that must not exist yet. False: another process was faster, and its file stays. */
export async function createPrivateFile(path: string, content: string): Promise<boolean> {
  const draft = await writeDraft(path, content);
  try {
    await link(draft, path);
    await syncFolder(dirname(path));
    return true;
  } catch (error) {
    if (isCode(error, "EEXIST")) return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

async function writeDraft(path: string, content: string): Promise<string> {
  const draft = `${path}.${randomBytes(6).toString("hex")}.draft`;
  const file = await open(draft, "wx", fileMode);
  try {
    await file.writeFile(content);
    await file.chmod(fileMode);
    await file.sync();
  } finally {
    await file.close();
  }
  return draft;
}

/** Throws UnsafeFileError if others can reach the file or folder, or if it belongs to another user. */
export async function requirePrivate(path: string, expected: number): Promise<void> {
  await requireMode(path, { forbidden: 0o077, risk: "reach", repair: expected.toString(8) });
}

interface ModeRule {
  /** The bits that others must not have. */
  readonly forbidden: number;
  /** What others can do with it otherwise. */
  readonly risk: "reach" | "change";
  /** What chmod makes of it. */
  readonly repair: string;
}

async function requireMode(path: string, { forbidden, risk, repair }: ModeRule): Promise<void> {
  if (process.platform === "win32") return;
  const { mode, uid } = await stat(path);
  if ((mode & forbidden) !== 0) {
    const shown = (mode & 0o777).toString(8).padStart(4, "0");
    throw new UnsafeFileError(`${path} has mode ${shown}, so others can ${risk} it; run: chmod ${repair} ${path}`);
  }
  const own = process.getuid?.();
  if (own !== undefined && own !== 0 && uid !== own) {
    throw new UnsafeFileError(`${path} belongs to another user (uid ${uid}); it must belong to uid ${own}`);
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
