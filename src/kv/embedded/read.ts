/** What the records on the disk mean to a reader: entries, and the changes that led to them. */

import { nextTimeSlice, TimeSlice } from "../../base/time-slice.ts";
import { type KvChange, type KvEntry, KvError, type KvEvents, type KvRange, RevisionCompacted } from "../contract.ts";
import { crashPoint } from "./crash-point.ts";
import type { Disk, VersionPage } from "./disk.ts";
import type { KeyState } from "./latest-writes.ts";
import { encodeIndexBound, type IndexEntry, keyInStem, type WriteRecord } from "./records.ts";

/** A range yields to the event loop after this many entries. */
const rangePageEntries = 1_000;

/** What is under the key at the revision, or now; undefined: nothing. */
export function readEntry(disk: Disk, key: string, revision?: bigint): KvEntry | undefined {
  const version = disk.versionAt(key, revision);
  return version === undefined || version.deleted ? undefined : toEntry(disk.recordOf(key, version.revision));
}

/** What a write of the key is compared with; undefined: there is nothing. */
export function readKeyState(disk: Disk, key: string): KeyState | undefined {
  const version = disk.versionAt(key);
  if (version === undefined || version.deleted) return undefined;
  const { revision } = version;
  try {
    return { revision, created: disk.recordOf(key, revision).created };
  } catch (error) {
    if (!isDamage(error)) throw error;
    return { revision, created: revision, damage: error };
  }
}

interface RangeWanted {
  readonly prefix: string;
  readonly revision: bigint;
  readonly start: string | undefined;
  readonly limit: number | undefined;
  /** Stops at the first entry beyond the limit instead of counting all of them. */
  readonly uncounted: boolean;
  /** Whether entries with a damaged value are returned, with their damage. */
  readonly damaged: boolean;
  /** Whether the index has all versions of that moment; otherwise some are in segments of the history. */
  readonly isIndexed: boolean;
}

/** Entries as they were at the revision, which must not be swept meanwhile. */
export async function readRange(disk: Disk, wanted: RangeWanted): Promise<KvRange> {
  if (!wanted.isIndexed) return readPastRange(disk, wanted);
  const { prefix, revision, start, limit = Number.POSITIVE_INFINITY, uncounted, damaged } = wanted;
  const readVersion = damaged ? readDamaged : readWhole;
  const entries: KvEntry[] = [];
  const slice = new TimeSlice();
  let remaining = 0;
  let resume: Buffer | undefined = disk.firstVersion(prefix, start);
  while (resume !== undefined) {
    const pageMax = uncounted ? Math.min(rangePageEntries, limit + 1) : rangePageEntries;
    const page: VersionPage = disk.versions(prefix, revision, pageMax, resume);
    for (const version of page.found) {
      if (entries.length < limit) entries.push(readVersion(disk, version));
      else remaining += 1;
      // A former state is made of several records.
      if (slice.isOver) await slice.next();
    }
    crashPoint("range: page read");
    if (uncounted && remaining > 0) return { entries, revision, remaining: 1 };
    resume = page.resume;
    if (resume !== undefined) await nextTimeSlice();
  }
  return { entries, revision, remaining };
}

/** As readRange, with what only segments know; the one kind of reading that collects all versions before it reads any. */
async function readPastRange(disk: Disk, wanted: RangeWanted): Promise<KvRange> {
  const { prefix, revision, start, limit = Number.POSITIVE_INFINITY, uncounted, damaged } = wanted;
  const packed = await disk.segments.replacedAfter(prefix, start, revision);
  const versions: (IndexEntry & { readonly replacedBy?: bigint })[] = [];
  const begin = disk.firstVersion(prefix, start);
  for (let resume: Buffer | undefined = begin; resume !== undefined; ) {
    const page: VersionPage = disk.versions(prefix, revision, rangePageEntries, resume);
    for (const version of page.found) {
      packed.delete(keyInStem(version.stem));
      versions.push({ ...version, stem: Buffer.from(version.stem) });
    }
    resume = page.resume;
    if (resume !== undefined) await nextTimeSlice();
  }
  for (const [key, { made, replacedBy }] of packed) {
    const stem = encodeIndexBound(key, false);
    if (begin.compare(stem) <= 0) versions.push({ stem, revision: made, deleted: false, replacedBy });
  }
  versions.sort((one, other) => one.stem.compare(other.stem));
  const shown = versions.slice(0, limit);
  const remaining = versions.length - shown.length;
  const entries: KvEntry[] = [];
  const slice = new TimeSlice();
  for (const version of shown) {
    entries.push(damaged ? readDamaged(disk, version) : readWhole(disk, version));
    if (slice.isOver) await slice.next();
  }
  return { entries, revision, remaining: uncounted ? Math.min(1, remaining) : remaining };
}

const readWhole = (disk: Disk, version: IndexEntry): KvEntry => toEntry(disk.recordIn(version));

function readDamaged(disk: Disk, version: IndexEntry): KvEntry {
  try {
    return readWhole(disk, version);
  } catch (error) {
    if (!isDamage(error)) throw error;
    const { stem, revision } = version;
    return { key: keyInStem(stem), value: new Uint8Array(0), revision, created: revision, damage: error };
  }
}

const isDamage = (error: unknown): error is KvError => error instanceof KvError && error.code === "damaged";

interface ChangesWanted {
  /** The revision behind which they begin, and the one up to which there are any. */
  readonly after: bigint;
  readonly newest: bigint;
  readonly changesMax: number;
  /** No further change is read once the changes have this many bytes. */
  readonly bytesMax: number;
}

/**
 * The next changes, as many as requested, and the revision they lead to. History ends where a record is damaged: a watcher that would
 * need it has to list again.
 */
export function readChanges(disk: Disk, { after, newest, changesMax, bytesMax }: ChangesWanted): KvEvents {
  const changes: KvChange[] = [];
  let revision = after;
  let bytes = 0;
  while (revision < newest && changes.length < changesMax && bytes < bytesMax) {
    const next = revision + 1n;
    try {
      const { key, value } = disk.record(next);
      changes.push({ key, revision: next, ...(value && { value }) });
      bytes += value?.byteLength ?? 0;
    } catch (error) {
      if (!isDamage(error)) throw error;
      if (changes.length === 0) throw new RevisionCompacted(after, next);
      return { changes, revision };
    }
    revision = next;
  }
  return { changes, revision };
}

export function toEntry(record: WriteRecord): KvEntry {
  const { key, value, revision, created } = record;
  if (value === undefined) throw new KvError("damaged", `key ${key} should have a value at revision ${revision}`);
  return { key, value, revision, created };
}
