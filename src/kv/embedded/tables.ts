/** The tables of the file, opened in LMDB. */

import type { Database, RootDatabase, RootDatabaseOptions } from "lmdb";
import { mapBytesOf, readLimits } from "./address-space.ts";
import { crashPoint } from "./crash-point.ts";
import { loadLmdb } from "./load-lmdb.ts";

const { open } = loadLmdb();

export type Table = Database<Buffer, Buffer>;

/**
 * Tables in one file:
 *
 *     log    revision -> what was written (records.ts)
 *     index  key, revision -> put or delete; the versions of a key are neighbours, newest first
 *     meta   format, owner, state, history
 *     notes  revision -> the note of a write; there since a history was kept for the first time, as is
 *     former revision -> the state that this write replaced, when only the history needs it (former-states.ts)
 *     segments  last revision, part -> notes and former states of many changes, compressed (segment.ts)
 */
export interface Tables {
  readonly root: RootDatabase<Buffer, Buffer>;
  readonly log: Table;
  readonly index: Table;
  readonly meta: Table;
  /** Undefined: no history was ever kept. */
  readonly notes: Table | undefined;
  readonly former: Table | undefined;
  readonly segments: Table | undefined;
}

/** The key in `meta` of what the notes hold; absent as long as there are none. */
export const notedKey = Buffer.from("history");

/** `notes`: whether notes will be written. */
export async function openTables(path: string, options: RootDatabaseOptions, notes = false): Promise<Tables> {
  const encodings = { encoding: "binary", keyEncoding: "binary" } as const;
  const mapSize = mapBytesOf(process.arch, readLimits());
  const root = open<Buffer, Buffer>({
    path,
    ...encodings,
    // Batches are formed by our own queue; a second grouping behind it would only add a wait.
    eventTurnBatching: false,
    maxDbs: 8,
    maxReaders: 1_000,
    ...(mapSize !== undefined && { mapSize }),
    ...options,
  });
  crashPoint("open: mapped");
  try {
    const log = root.openDB({ name: "log", ...encodings });
    const index = root.openDB({ name: "index", ...encodings });
    const meta = root.openDB({ name: "meta", ...encodings, useVersions: true });
    crashPoint("open: tables made");
    const hasNotes = notes || meta.get(notedKey) !== undefined;
    const table = (name: string) => (hasNotes ? root.openDB({ name, ...encodings }) : undefined);
    return { root, log, index, meta, notes: table("notes"), former: table("former"), segments: table("segments") };
  } catch (error) {
    await root.close();
    throw error;
  }
}
