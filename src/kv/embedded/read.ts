/** What the records on the disk mean to a reader: entries, and the changes that led to them. */

import { nextTimeSlice } from "../../base/time-slice.ts";
import { type KvChange, type KvEntry, KvError, type KvEvents, type KvRange } from "../contract.ts";
import { crashPoint } from "./crash-point.ts";
import type { Disk, VersionPage } from "./disk.ts";
import type { WriteRecord } from "./records.ts";

/** A range yields to the event loop after this many entries. */
const rangePageEntries = 1_000;

/** What is under the key at the revision, or now; undefined: nothing. */
export function readEntry(disk: Disk, key: string, revision?: bigint): KvEntry | undefined {
  const version = disk.versionAt(key, revision);
  return version === undefined || version.deleted ? undefined : toEntry(disk.recordOf(key, version.revision));
}

interface RangeWanted {
  readonly prefix: string;
  readonly revision: bigint;
  readonly start: string | undefined;
  readonly limit: number | undefined;
  /** Stops at the first entry beyond the limit instead of counting all of them. */
  readonly uncounted: boolean;
}

/** Entries as they were at the revision, which must not be swept meanwhile. */
export async function readRange(disk: Disk, wanted: RangeWanted): Promise<KvRange> {
  const { prefix, revision, start, limit = Number.POSITIVE_INFINITY, uncounted } = wanted;
  const entries: KvEntry[] = [];
  let remaining = 0;
  let resume: Buffer | undefined = disk.firstVersion(prefix, start);
  while (resume !== undefined) {
    const pageMax = uncounted ? Math.min(rangePageEntries, limit + 1) : rangePageEntries;
    const page: VersionPage = disk.versions(prefix, revision, pageMax, resume);
    for (const version of page.found) {
      if (entries.length < limit) entries.push(toEntry(disk.record(version.revision)));
      else remaining += 1;
    }
    crashPoint("range: page read");
    if (uncounted && remaining > 0) return { entries, revision, remaining: 1 };
    resume = page.resume;
    if (resume !== undefined) await nextTimeSlice();
  }
  return { entries, revision, remaining };
}

interface ChangesWanted {
  /** The revision behind which they begin, and the one up to which there are any. */
  readonly after: bigint;
  readonly newest: bigint;
  readonly changesMax: number;
  /** No further change is read once the changes have this many bytes. */
  readonly bytesMax: number;
}

/** The next changes, as many as requested, and the revision they lead to. */
export function readChanges(disk: Disk, { after, newest, changesMax, bytesMax }: ChangesWanted): KvEvents {
  const changes: KvChange[] = [];
  let revision = after;
  let bytes = 0;
  while (revision < newest && changes.length < changesMax && bytes < bytesMax) {
    revision += 1n;
    const { key, value } = disk.record(revision);
    changes.push({ key, revision, ...(value && { value }) });
    bytes += value?.byteLength ?? 0;
  }
  return { changes, revision };
}

function toEntry(record: WriteRecord): KvEntry {
  const { key, value, revision, created } = record;
  if (value === undefined) throw new KvError("damaged", `key ${key} should have a value at revision ${revision}`);
  return { key, value, revision, created };
}
