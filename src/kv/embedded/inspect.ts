/** Reads through the folder of a store that no process has open, and reports every inconsistency. */

import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import { nextTimeSlice } from "../../base/time-slice.ts";
import { type KvEntry, KvError } from "../contract.ts";
import { dataFile } from "./data-file.ts";
import { Disk } from "./disk.ts";
import { checkFile } from "./file-check.ts";
import { takeLock } from "./lock.ts";
import { decodeIndexEntry, type IndexEntry, type StoreState } from "./records.ts";

/** How many index entries are read between two pauses. */
const pageEntries = 1_000;

interface InspectOptions {
  readonly folder: string;
  /** The newest state of each key, in key order. */
  onEntry(entry: KvEntry): void;
  /** One sentence for each problem. */
  onProblem(problem: string): void;
}

/** Changes nothing. Throws KvError if the folder is in use, has no store, or its file cannot be opened at all. */
export async function inspectStore({ folder, onEntry, onProblem }: InspectOptions): Promise<StoreState> {
  const path = join(resolve(folder), dataFile);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw new KvError("unavailable", `there is no store in ${folder}`);
  if (found.size === 0) throw new KvError("damaged", `the data file ${path} is empty: its contents are lost`);
  const unlock = await takeLock(resolve(folder));
  try {
    await checkFile(path);
    const disk = await Disk.openForReading(path);
    try {
      const state = disk.readState();
      if (state.compacted > state.revision || state.swept > state.compacted) {
        onProblem(`revisions are out of order: newest ${state.revision}, compacted ${state.compacted}`);
      }
      const versions = await inspectVersions(disk, state, { onEntry, onProblem });
      for (const problem of disk.segments.problems(disk.notes.state()?.packed ?? 0n)) {
        onProblem(problem);
        await nextTimeSlice();
      }
      const records = disk.countRecords();
      if (records !== versions) onProblem(`the log has ${records} records, and the index ${versions}`);
      return state;
    } finally {
      await disk.close();
    }
  } finally {
    unlock();
  }
}

type Reports = Pick<InspectOptions, "onEntry" | "onProblem">;

/** Returns how many versions the index has. */
async function inspectVersions(disk: Disk, state: StoreState, reports: Reports): Promise<number> {
  let versions = 0;
  let stem: Buffer | undefined;
  let start: Buffer = Buffer.of(0);
  for (;;) {
    const page = disk.rawIndex(start, pageEntries);
    for (const { key, value } of page) {
      versions += 1;
      try {
        const version = decodeIndexEntry(key, value);
        const isNewest = stem === undefined || !stem.equals(version.stem);
        stem = Buffer.from(version.stem);
        inspectVersion(disk, version, { isNewest, state, reports });
      } catch (error) {
        if (!(error instanceof KvError)) throw error;
        reports.onProblem(error.message);
      }
    }
    const last = page.at(-1);
    if (last === undefined) return versions;
    start = Buffer.concat([last.key, Buffer.of(0)]);
    await nextTimeSlice();
  }
}

interface VersionPlace {
  readonly isNewest: boolean;
  readonly state: StoreState;
  readonly reports: Reports;
}

function inspectVersion(disk: Disk, version: IndexEntry, { isNewest, state, reports }: VersionPlace): void {
  const { revision } = version;
  const { key, value, created, previous } = disk.recordIn(version);
  const problem = (what: string) => reports.onProblem(`key ${JSON.stringify(key)} at revision ${revision} ${what}`);
  // The stem is the key with each byte plus one, and an end mark.
  const named = Buffer.from(version.stem.subarray(0, -1).map((byte) => byte - 1)).toString("utf8");
  if (named !== key) problem(`the index has it as ${JSON.stringify(named)}`);
  if ((value === undefined) !== version.deleted) problem("is a delete in the log or in the index only");
  if (revision > state.revision) problem(`is newer than the store, which is at ${state.revision}`);
  if (created > revision || previous >= revision) problem("refers to later revisions");
  if (isNewest && value !== undefined) reports.onEntry({ key, value, revision, created });
}
