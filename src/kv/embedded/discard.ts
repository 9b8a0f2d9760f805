/** Removes objects whose records are damaged from the folder of a store that no process has open. */

import { join, resolve } from "node:path";
import { KvError } from "../contract.ts";
import { dataFile, ReservedSpace } from "./data-file.ts";
import { Disk } from "./disk.ts";
import { checkFile } from "./file-check.ts";
import { takeLock } from "./lock.ts";
import type { WriteRecord } from "./records.ts";

/** What the delete of one key may add to the file. */
const growthBytes = 64 * 1024;

/**
 * Each key is deleted if its newest state is damaged, and loses its past states if one of those is. History ends with it, so clients
 * list again. Throws KvError, and changes nothing more, at a key that is not damaged.
 */
export async function discardDamaged(folder: string, keys: readonly string[]): Promise<void> {
  const path = join(resolve(folder), dataFile);
  const unlock = await takeLock(resolve(folder));
  try {
    const usedBytes = await checkFile(path);
    const room = new ReservedSpace(path, () => usedBytes);
    try {
      room.ensure(growthBytes * (keys.length + 1));
      const disk = await Disk.open(path, { sync: true });
      try {
        for (const key of keys) await discard(disk, key);
      } finally {
        await disk.close();
      }
    } finally {
      room.close();
    }
  } finally {
    unlock();
  }
}

async function discard(disk: Disk, key: string): Promise<void> {
  const state = disk.readState();
  const versions = disk.versionsUpTo(key, state.revision);
  const [newest] = versions;
  if (newest === undefined)
    throw new KvError("unavailable", `there is no key ${JSON.stringify(key)}; nothing was removed`);
  if (!versions.some(({ revision }) => isDamaged(disk, key, revision)))
    throw new KvError("unavailable", `the key ${JSON.stringify(key)} is not damaged; nothing was removed`);
  const isGone = isDamaged(disk, key, newest.revision);
  // The index may be damaged too and not know whether the newest change was a delete: another one does no harm.
  const revision = isGone ? state.revision + 1n : state.revision;
  const deletion: WriteRecord = {
    key,
    revision,
    value: undefined,
    created: newest.revision,
    previous: newest.revision,
  };
  const isDone = await disk.commit({
    writes: isGone ? [deletion] : [],
    swept: isGone ? versions : versions.slice(1),
    state: { revision, compacted: revision, swept: state.swept },
  });
  if (!isDone) throw new KvError("unavailable", "another process writes to the store");
}

function isDamaged(disk: Disk, key: string, revision: bigint): boolean {
  try {
    disk.recordOf(key, revision);
    return false;
  } catch (error) {
    if (error instanceof KvError && error.code === "damaged") return true;
    throw error;
  }
}
