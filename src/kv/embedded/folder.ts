/** The folder of an embedded store: created so that only its owner can access it, and refused if others can. */

import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  statfsSync,
  statSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { makeFolders } from "../../base/make-folders.ts";
import { KvError } from "../contract.ts";
import { crashPoint } from "./crash-point.ts";

const folderMode = 0o700;
const fileMode = 0o600;

/** Makes the folder if it is missing; throws if others can access it or if it belongs to another user. */
export function prepareFolder(folder: string): void {
  const parent = dirname(resolve(folder));
  const firstMade = makeFolders(parent);
  try {
    mkdirSync(folder, { mode: folderMode });
    chmodSync(folder, folderMode); // restores the bits that the umask removed
    crashPoint("folder: made");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  syncAbove(parent, firstMade);
  crashPoint("folder: named safely");
  const found = statSync(folder);
  if (!found.isDirectory()) throw new KvError("unavailable", `${folder} is not a folder`);
  if (process.getuid === undefined) return; // Windows: modes say nothing there
  const uid = process.getuid();
  if (found.uid !== uid) {
    throw new KvError("unavailable", `the folder ${folder} belongs to user ${found.uid}, not to ${uid}`);
  }
  if ((found.mode & 0o077) !== 0) {
    const mode = (found.mode & 0o777).toString(8);
    throw new KvError("unavailable", `the folder ${folder} is open to others (mode ${mode}); run: chmod 700 ${folder}`);
  }
}

/** Makes the file if it is missing, so that no library picks a mode for it, and removes all permissions of others. */
export function prepareFile(folder: string, name: string): void {
  const path = join(folder, name);
  const file = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, fileMode);
  try {
    const found = fstatSync(file);
    if (!found.isFile()) throw new KvError("unavailable", `${path} is not a file`);
    if ((found.mode & 0o777) !== fileMode) fchmodSync(file, fileMode);
    crashPoint("file: made");
  } finally {
    closeSync(file);
  }
}

/** What this user may still write to the disk that holds the folder; Infinity where the system does not say. */
export function freeBytesOf(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** Syncs the folder's name and the folders created above it, also if the process that made them ended before it did. */
function syncAbove(parent: string, firstMade: string | undefined): void {
  for (let folder = parent; ; folder = dirname(folder)) {
    try {
      syncFolder(folder);
    } catch (error) {
      // Another user's folder that we may not read: the process that created our folder could sync it.
      if (!["EACCES", "EPERM"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
    }
    if (firstMade === undefined || folder === dirname(firstMade) || folder === dirname(folder)) return;
  }
}

/** A new file survives a loss of power only if its folder has been synced too. */
export function syncFolder(folder: string): void {
  if (process.platform === "win32") return;
  const handle = openSync(folder, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
