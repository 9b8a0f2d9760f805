/** Opens the store on this machine's disk: locks the folder, creates and checks the file, and assembles the parts. */

import { join, resolve } from "node:path";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { Kv, KvHistoryBounds } from "../contract.ts";
import { crashPoint } from "./crash-point.ts";
import { dataFile, prepareDataFile, ReservedSpace } from "./data-file.ts";
import { Disk } from "./disk.ts";
import { checkFile } from "./file-check.ts";
import { prepareFolder } from "./folder.ts";
import { takeLock } from "./lock.ts";
import type { RetentionLimits } from "./retention.ts";
import { EmbeddedKv } from "./store.ts";

export interface EmbeddedKvOptions extends RetentionLimits {
  /** Made with mode 0700 if it is missing; refused if others can access it. */
  readonly folder: string;
  readonly clock?: Clock;
  /**
   * How much is kept of writes that have notes, beyond the limits above. Absent: notes are ignored, and what an earlier opening has
   * kept stays. "all": what there is of a history goes on and nothing of it goes, for a program that does not know its bounds.
   */
  readonly noted?: KvHistoryBounds | "all" | undefined;
  /** "none" turns off durability: a power loss may lose acknowledged writes or the whole store. For tests only. */
  readonly syncMode?: "always" | "none";
  readonly log?: Log;
  /** The free bytes of the disk; the default is a system call. For tests. */
  readonly freeBytes?: (folder: string) => number;
}

export async function openEmbeddedKv(options: EmbeddedKvOptions): Promise<Kv> {
  const folder = resolve(options.folder);
  prepareFolder(folder);
  const unlock = await takeLock(folder);
  try {
    crashPoint("open: locked");
    const sync = options.syncMode !== "none";
    await prepareDataFile(folder);
    crashPoint("open: files made");
    const path = join(folder, dataFile);
    const usedBytes = await checkFile(path);
    crashPoint("open: files checked");
    let disk: Disk | undefined;
    const room = new ReservedSpace(path, () => disk?.usedBytes() ?? usedBytes);
    try {
      room.ensureOpening();
      disk = await Disk.open(path, { sync, notes: isKept(options.noted) });
      crashPoint("open: owned");
      const state = disk.readState();
      crashPoint("open: state read");
      const kv = new EmbeddedKv({ disk, state, room, unlock }, { ...options, folder });
      crashPoint("open: done");
      return kv;
    } catch (error) {
      room.close();
      await disk?.close();
      throw error;
    }
  } catch (error) {
    unlock();
    throw error;
  }
}

/** Whether a history begins if there is none. */
const isKept = (noted: EmbeddedKvOptions["noted"]): boolean =>
  noted !== undefined && noted !== "all" && noted.bytesMax > 0;
