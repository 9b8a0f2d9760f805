/** Makes the folder of a store out of the entries of another one: whole, under its name, or not at all. */

import { randomBytes } from "node:crypto";
import { closeSync, fsyncSync, openSync, readdirSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { type KvEntry, KvError } from "../contract.ts";
import { batchBytesMax, batchWritesMax, growthOf, reserveBytes } from "./batch.ts";
import { dataFile, prepareDataFile, ReservedSpace } from "./data-file.ts";
import { Disk } from "./disk.ts";
import { freeBytesOf, prepareFolder, syncFolder } from "./folder.ts";
import { takeLock } from "./lock.ts";
import type { WriteRecord } from "./records.ts";

interface FillOptions {
  /** Where the store is to be; must not exist, or be empty. */
  readonly folder: string;
  /** In any order; each keeps its revision, so none may be above `revision`. */
  readonly pages: AsyncIterable<readonly KvEntry[]>;
  /** The revision of the new store, before which all history is gone. */
  readonly revision: bigint;
  /** Called with the number of entries written so far. */
  onEntries?(entries: number): void;
}

/** Returns how many entries the store has. */
export async function fillStore({ folder, pages, revision, onEntries }: FillOptions): Promise<number> {
  const target = resolve(folder);
  assertEmpty(target);
  await removeAbandoned(target);
  const draft = `${target}.filling-${randomBytes(6).toString("hex")}`;
  prepareFolder(draft);
  try {
    const unlock = await takeLock(draft);
    let entries: number;
    try {
      entries = await fill(draft, { pages, revision, onEntries });
    } finally {
      unlock();
    }
    assertEmpty(target);
    renameSync(draft, target); // refused by the system if the target has contents
    syncFolder(dirname(target));
    return entries;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** A store is never mixed with another one. */
function assertEmpty(folder: string): void {
  if (!contentsOf(folder).length) return;
  throw new KvError(
    "unavailable",
    `the folder ${folder} has contents already: a store is never mixed with another one`,
  );
}

function contentsOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

async function fill(
  folder: string,
  { pages, revision, onEntries }: Pick<FillOptions, "pages" | "revision"> & { onEntries: FillOptions["onEntries"] },
): Promise<number> {
  await prepareDataFile(folder);
  const path = join(folder, dataFile);
  // Nothing depends on a draft: one sync at the end is enough.
  const disk = await Disk.open(path, { sync: false });
  const room = new ReservedSpace(path, () => disk.usedBytes());
  const state = { revision, compacted: revision, swept: revision };
  let entries = 0;
  let batch: WriteRecord[] = [];
  let bytes = 0;
  const flush = async (): Promise<void> => {
    ensureSpace(folder, room, growthOf(batch, 0));
    if (!(await disk.commit({ writes: batch, swept: [], state, unordered: true }))) {
      throw new KvError("unavailable", `another process writes to ${folder}`);
    }
    entries += batch.length;
    batch = [];
    bytes = 0;
    onEntries?.(entries);
  };
  try {
    for await (const page of pages) {
      for (const { key, value, created, revision: at } of page) {
        if (at > revision) throw new KvError("damaged", `key ${key} has revision ${at}, above that of the store`);
        batch.push({ key, value, revision: at, created, previous: 0n });
        bytes += value.byteLength;
        if (batch.length >= batchWritesMax || bytes >= batchBytesMax) await flush();
      }
    }
    await flush();
    if (disk.countRecords() !== entries) throw new KvError("damaged", "two entries have the same revision");
  } finally {
    await disk.close();
    room.close();
  }
  syncFile(path);
  syncFolder(folder);
  return entries;
}

function ensureSpace(folder: string, room: ReservedSpace, bytes: number): void {
  if (freeBytesOf(folder) < reserveBytes + bytes) throw new KvError("unavailable", `the disk of ${folder} is full`);
  room.ensure(bytes);
}

function syncFile(path: string): void {
  const file = openSync(path, "r+");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** A process that was killed while it filled a store leaves its draft behind. */
async function removeAbandoned(target: string): Promise<void> {
  const parent = dirname(target);
  const start = `${basename(target)}.filling-`;
  for (const name of contentsOf(parent)) {
    if (!name.startsWith(start)) continue;
    const draft = join(parent, name);
    const unlock = await takeLock(draft).catch(() => undefined);
    if (unlock === undefined) continue; // another process is filling it
    rmSync(draft, { recursive: true, force: true });
    unlock();
  }
}
