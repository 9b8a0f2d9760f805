/** Creates the data file and manages its size, so that a crash at any moment leaves a file that can be opened. */

import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { DamagedFile } from "../contract.ts";
import { crashPoint } from "./crash-point.ts";
import { Disk } from "./disk.ts";
import { prepareFile, syncFolder } from "./folder.ts";

export const dataFile = "data.mdb";
const draft = `${dataFile}.new`;
const zeroes = Buffer.alloc(256 * 1024);

/**
 * Makes the data file if it is missing. It is written whole under another name first: a loss of power in the middle of
 * LMDB's own initialisation would leave a file that looks damaged and cannot be distinguished from one that had data.
 */
export async function prepareDataFile(folder: string): Promise<void> {
  const path = join(folder, dataFile);
  const found = statSync(path, { throwIfNoEntry: false });
  // Our file has contents from the moment it has its name, so an empty file has lost them.
  if (found?.size === 0) {
    const advice = "restore it from a backup, or remove the folder to start empty";
    throw new DamagedFile(`the data file ${path} is empty: its contents are lost`, advice);
  }
  if (found === undefined) {
    for (const remains of [draft, `${draft}-lock`]) rmSync(join(folder, remains), { force: true });
    crashPoint("create: remains removed");
    prepareFile(folder, draft);
    prepareFile(folder, `${draft}-lock`);
    tryToWrite(join(folder, draft));
    crashPoint("create: draft made");
    // One sync at the end is enough: nothing depends on a draft.
    const disk = await Disk.open(join(folder, draft), { sync: false });
    crashPoint("create: draft committed");
    await disk.close();
    crashPoint("create: draft closed");
    syncFile(join(folder, draft));
    crashPoint("create: draft synced");
    renameSync(join(folder, draft), path);
    crashPoint("create: named");
    rmSync(join(folder, `${draft}-lock`), { force: true });
  }
  prepareFile(folder, dataFile);
  prepareFile(folder, `${dataFile}-lock`);
  // Also if the file existed: the process that renamed it may have ended before this sync.
  syncFolder(folder);
}

/** LMDB crashes if its first write to a new file fails: detect a disk that accepts no writes before LMDB does. */
function tryToWrite(path: string): void {
  const file = openSync(path, constants.O_WRONLY | constants.O_NOFOLLOW);
  try {
    if (writeSync(file, zeroes, 0, zeroes.length, 0) < zeroes.length)
      throw new Error(
        `${path} cannot be written whole: the disk is full; free some space, or choose another --data-dir`,
      );
    fsyncSync(file);
    ftruncateSync(file, 0);
  } finally {
    closeSync(file);
  }
}

function syncFile(path: string): void {
  const file = openSync(path, constants.O_RDWR | constants.O_NOFOLLOW);
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** How long a file system that accepted writes is trusted: a sync would fail sooner than a second check. */
const askAgainMs = 10;

/** What opening itself may write: reserved even if there is no space for anything else, so that a full disk can be opened. */
const openingBytes = 64 * 1024;

/** How far the file is kept ahead of its contents beyond what a batch may need: a part of its size, within bounds. */
const aheadShare = 1 / 8;
const aheadBytesMin = 1024 * 1024;
const aheadBytesMax = 16 * 1024 * 1024;

/**
 * Keeps the data file longer than its contents, with zeroes. Pages that a commit adds are on the disk already, so the system
 * reports a full disk to us, before anything can be lost. LMDB would fail with an error after which the contents of the disk
 * are unknown, and it prints the message of that error past the end of its buffer.
 */
export class ReservedSpace {
  readonly #path: string;
  readonly #file: number;
  readonly #usedBytes: () => number;
  #size: number;
  /** The bytes known to be free after the contents; 0 until measured. */
  #spare = 0;
  #askedMs = Number.NEGATIVE_INFINITY;

  constructor(path: string, usedBytes: () => number) {
    this.#path = path;
    // Opened for appending: even if our idea of its size is wrong, the system only lets us write at its end.
    this.#file = openSync(path, constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW);
    this.#size = fstatSync(this.#file).size;
    this.#usedBytes = usedBytes;
  }

  /** Makes sure that the contents can grow by so many bytes; throws the system's error. No commit may be running. */
  ensure(bytes: number): void {
    const now = performance.now();
    if (now - this.#askedMs > askAgainMs) {
      this.#assertTaking();
      this.#askedMs = now;
    }
    if (this.#spare < bytes) {
      const used = this.#usedBytes() + openingBytes;
      if (this.#size - used < bytes) {
        const ahead = Math.min(aheadBytesMax, Math.max(aheadBytesMin, Math.floor(used * aheadShare)));
        this.#extend(used + bytes + ahead);
      }
      this.#spare = this.#size - used;
    }
    this.#spare -= bytes;
  }

  /** As `ensure`, for what an opening writes; usually the last process has left enough. */
  ensureOpening(): void {
    this.#assertTaking();
    this.#extend(this.#usedBytes() + openingBytes);
  }

  /** A file system that has shut down or become read-only reports it here, at the cost of a few microseconds. */
  #assertTaking(): void {
    fstatSync(this.#file); // xfs
    writeSync(this.#file, zeroes, 0, 0); // ext4
    accessSync(this.#path, constants.W_OK); // read-only
  }

  #extend(size: number): void {
    this.#size = fstatSync(this.#file).size; // LMDB may have grown the file more than expected
    if (this.#size >= size) return;
    crashPoint("room: extending");
    while (this.#size < size) {
      const written = writeSync(this.#file, zeroes, 0, Math.min(zeroes.length, size - this.#size));
      if (written === 0) throw new Error("the system takes no more bytes and does not say why");
      this.#size += written;
    }
    crashPoint("room: extended");
  }

  close(): void {
    closeSync(this.#file);
  }
}
