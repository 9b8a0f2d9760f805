/** The tables on disk: everything that knows LMDB, and nothing that knows watches or writers. */

import { KvError } from "../contract.ts";
import { CommitBuffer } from "./commit-buffer.ts";
import { crashPoint } from "./crash-point.ts";
import { FormerStates } from "./former-states.ts";
import { firstFormat, type Migration, migrations } from "./migrations.ts";
import { NoteTable } from "./note-table.ts";
import {
  decodeFormat,
  decodeIndexEntry,
  decodeLogRecord,
  decodeRevision,
  decodeState,
  encodeFormat,
  encodeIndexBound,
  encodeIndexKey,
  encodeIndexValue,
  encodeLogRecord,
  encodeNote,
  encodeNotedState,
  encodeRevision,
  encodeState,
  type FormerRecord,
  type IndexEntry,
  keyInStem,
  type NotedState,
  type NoteRecord,
  revisionInIndexKey,
  type StoreState,
  type WriteRecord,
} from "./records.ts";
import type { PackedSegment } from "./segment.ts";
import { Segments } from "./segments.ts";
import { notedKey, openTables, type Table, type Tables } from "./tables.ts";

/** A version of a key that no reader needs any more. */
export interface SweptVersion {
  readonly key: string;
  readonly revision: bigint;
  /** The revision of the key's next change, which may have moved it to the former states. Absent: it is the newest. */
  readonly replacedBy?: bigint;
}

interface Commit {
  readonly writes: readonly WriteRecord[];
  readonly swept: readonly SweptVersion[];
  readonly state: StoreState;
  /** Absent: no history is kept. */
  readonly noted?: NotedCommit | undefined;
  /** The writes are not newer than all others: a store is being filled with the entries of another one. */
  readonly unordered?: true;
}

/** The part of a commit that belongs to the history. */
export interface NotedCommit {
  readonly notes: readonly NoteRecord[];
  readonly swept: readonly bigint[];
  /** What goes from the log into the table of former states. */
  readonly moved: readonly FormerRecord[];
  /** What goes from the tables into a segment; they are swept afterwards. */
  readonly segment: PackedSegment | undefined;
  /** The last revision of a segment that goes. */
  readonly dropped: bigint | undefined;
  readonly state: NotedState;
}

export interface VersionPage {
  readonly found: readonly IndexEntry[];
  /** Where the next page begins; absent: there is none. */
  readonly resume?: Buffer;
}

/** A page ends after this many index entries even if most of them were old versions. */
const visitedMax = 10_000;

/** The library's types know this option of `put` for `putSync` only, and call the third argument a version. */
type AppendableTable = Table & { put(key: Buffer, value: Buffer, options: { append: true }): Promise<boolean> };

const revisionAny = 0xffff_ffff_ffff_ffffn;
const formatKey = Buffer.from("format");
const ownerKey = Buffer.from("owner");
const stateKey = Buffer.from("state");

export class Disk {
  readonly notes: NoteTable;
  readonly former: FormerStates;
  readonly segments: Segments;
  readonly #path: string;
  /** Undefined: a commit has failed, and the file could not be mapped again. */
  #tables: Tables | undefined;
  /** The mark of this opening: a commit happens only while it is in the file, so a second process cannot write at the same time. */
  readonly #owner = Math.floor(Math.random() * (Number.MAX_SAFE_INTEGER - 1)) + 1;

  readonly #buffer = new CommitBuffer();

  /** The newest format that this program knows, and how older ones become it. */
  readonly #migrations: readonly Migration[];

  private constructor(path: string, tables: Tables, steps: readonly Migration[]) {
    this.#path = path;
    this.#tables = tables;
    this.#migrations = steps;
    this.notes = new NoteTable(path, () => this.#open);
    this.segments = new Segments(() => this.#open);
    this.former = new FormerStates(() => this.#open, this.segments);
  }

  static async open(path: string, { sync, notes = false, steps = migrations }: OpenOptions): Promise<Disk> {
    // The promise of a commit must mean that the disk has it: pages are synced before the page that makes them
    // count is written, and that write itself is durable.
    const durable = { overlappingSync: false, noSync: !sync, noMetaSync: !sync };
    const tables = await openTables(path, durable, notes);
    try {
      const disk = new Disk(path, tables, steps);
      await disk.#own();
      return disk;
    } catch (error) {
      await tables.root.close();
      throw error;
    }
  }

  /** For inspecting a file without changing it; the caller holds the folder's lock. */
  static async openForReading(path: string): Promise<Disk> {
    const tables = await openTables(path, { readOnly: true });
    try {
      const disk = new Disk(path, tables, migrations);
      if (disk.#readFormat() === undefined) throw new KvError("damaged", `the format record of ${path} is missing`);
      return disk;
    } catch (error) {
      await tables.root.close();
      throw error;
    }
  }

  get #newestFormat(): number {
    return firstFormat + this.#migrations.length;
  }

  get #open(): Tables {
    if (this.#tables === undefined)
      throw new KvError("unavailable", `${this.#path} cannot be read after a failed write`);
    return this.#tables;
  }

  async #own(): Promise<void> {
    const { meta } = this.#open;
    const found = this.#readFormat();
    crashPoint("open: format read");
    if (found !== undefined) this.#migrate(found);
    const done = meta.batch(() => {
      meta.put(ownerKey, Buffer.from(String(process.pid)), this.#owner);
      if (found !== undefined) return;
      meta.put(formatKey, encodeFormat(this.#newestFormat), 0);
      meta.put(stateKey, encodeState({ revision: 0n, compacted: 0n, swept: 0n }), 0);
    });
    crashPoint("open: owner handed over");
    await heard(done);
  }

  #migrate(format: number): void {
    const { root, log, index, meta } = this.#open;
    for (let from = format; from < this.#newestFormat; from += 1) {
      root.transactionSync(() => {
        this.#migrations[from - firstFormat]!({ log, index, meta });
        meta.putSync(formatKey, encodeFormat(from + 1), 0);
      });
    }
  }

  /** Undefined: the file is new. Throws if this program cannot read the format. */
  #readFormat(): number | undefined {
    const path = this.#path;
    const found = this.#open.meta.get(formatKey);
    if (found === undefined) return undefined;
    const version = decodeFormat(found);
    if (version === undefined) throw new KvError("damaged", `the format record of ${path} is damaged`);
    if (version > this.#newestFormat) {
      const known = `this program supports formats up to ${this.#newestFormat}`;
      throw new KvError("unavailable", `${path} has format ${version}, and ${known}: use a newer program`);
    }
    if (this.#open.meta.get(stateKey) === undefined) {
      throw new KvError("damaged", `the state record of ${path} is missing`);
    }
    return version;
  }

  readState(): StoreState {
    const state = decodeState(this.#open.meta.get(stateKey)!);
    for (const last of this.#open.log.getKeys({ reverse: true, limit: 1 })) {
      if (decodeRevision(last) > state.revision) {
        throw new KvError("damaged", `the log continues after the newest revision ${state.revision}`);
      }
    }
    return state;
  }

  /**
   * Everything or nothing, on disk when the promise resolves. False: another process has become the owner. One commit at a
   * time: they share the memory of their records.
   */
  async commit({ writes, swept, state, noted, unordered }: Commit): Promise<boolean> {
    const { index, meta } = this.#open;
    const log: AppendableTable = this.#open.log;
    const appended: Promise<boolean>[] = [];
    this.#buffer.reset();
    const take = (bytes: number) => this.#buffer.take(bytes);
    const done = meta.ifVersion(ownerKey, this.#owner, () => {
      for (const record of writes) {
        const indexKey = encodeIndexKey(record.key, record.revision);
        index.put(indexKey, encodeIndexValue(indexKey, record.value === undefined));
        const [at, bytes] = [encodeRevision(record.revision), encodeLogRecord(record, take)];
        // Declared as appended, a record fills its page; otherwise LMDB would leave every page of the log half empty.
        appended.push(unordered ? this.#open.log.put(at, bytes) : log.put(at, bytes, { append: true }));
      }
      // Before what is swept: both may be in one commit.
      for (const record of noted?.moved ?? []) {
        log.remove(encodeRevision(record.revision));
        this.former.put(record);
      }
      for (const { key, revision, replacedBy } of swept) {
        index.remove(encodeIndexKey(key, revision));
        log.remove(encodeRevision(revision));
        if (replacedBy !== undefined) this.former.remove(replacedBy);
      }
      meta.put(stateKey, encodeState(state), 0);
      if (noted !== undefined) {
        const { table } = this.notes;
        for (const note of noted.notes) table.put(encodeRevision(note.revision), encodeNote(note));
        for (const revision of noted.swept) table.remove(encodeRevision(revision));
        if (noted.segment !== undefined) this.segments.put(noted.segment);
        if (noted.dropped !== undefined) this.segments.remove(noted.dropped);
        meta.put(notedKey, encodeNotedState(noted.state), 0);
      }
      if (writes.length > 0) crashPoint("batch: encoded");
      if (swept.length > 0) crashPoint("sweep: encoded");
    });
    const results = Promise.all(appended);
    results.catch(() => {}); // it fails together with the transaction, whose error is handled below
    const committed = await heard(done).catch(async (error: unknown) => {
      await this.#mapAgain();
      throw error;
    });
    if (!committed) return false;
    if (!(await results).every(Boolean)) throw new KvError("damaged", "the log continues after the newest revision");
    return true;
  }

  /**
   * Drops LMDB's view of the file after a failed commit and opens a new one, for reading only. After some errors
   * LMDB begins no transaction any more, not even one that reads, and the library then shows tables as empty.
   */
  async #mapAgain(): Promise<void> {
    const { root } = this.#open;
    this.#tables = undefined;
    try {
      await root.close();
      this.#tables = await openTables(this.#path, { readOnly: true });
    } catch {
      // Then reads are refused too.
    }
  }

  /** The version of a key at a revision; undefined: it never existed, or its delete has been swept. */
  versionAt(key: string, revision = revisionAny): IndexEntry | undefined {
    const start = encodeIndexKey(key, revision);
    const { index } = this.#open;
    // Without values: what is found for a new key is its neighbour, whose value does not matter.
    for (const found of index.getKeys({ start, limit: 1 })) {
      const stemBytes = start.length - 8;
      if (found.length !== start.length || start.compare(found, 0, stemBytes, 0, stemBytes) !== 0) return undefined;
      return this.indexEntry(found, index.get(found)!);
    }
    return undefined;
  }

  /** An entry whose own bytes are damaged is told by the record of its revision, if that has the same key. */
  indexEntry(key: Buffer, value: Uint8Array): IndexEntry {
    try {
      return decodeIndexEntry(key, value);
    } catch (error) {
      const revision = revisionInIndexKey(key);
      const record = this.logged(revision);
      if (record === undefined) throw error;
      if (!encodeIndexKey(record.key, revision).equals(key)) throw error;
      return { stem: key.subarray(0, key.length - 8), revision, deleted: record.value === undefined };
    }
  }

  /**
   * A change that watches can begin from. Throws when the record is missing: the caller has seen its revision in the index or in another
   * record.
   */
  record(revision: bigint): WriteRecord {
    const found = this.logged(revision);
    if (found === undefined) throw new KvError("damaged", `the record of revision ${revision} is missing`);
    return found;
  }

  /** Undefined: it was swept, or has moved to the former states. */
  logged(revision: bigint): WriteRecord | undefined {
    const bytes = this.#open.log.get(encodeRevision(revision));
    return bytes && decodeLogRecord(bytes, revision);
  }

  hasRecord(revision: bigint): boolean {
    return this.#open.log.doesExist(encodeRevision(revision));
  }

  /** All versions of a key that are not newer than the revision, newest first. */
  versionsUpTo(key: string, revision: bigint): SweptVersion[] {
    const [start, end] = [encodeIndexKey(key, revision), encodeIndexKey(key, 0n)];
    let replacedBy: bigint | undefined;
    return [...this.#open.index.getKeys({ start, end })].map((found) => {
      const version = { key, revision: revisionInIndexKey(found), ...(replacedBy !== undefined && { replacedBy }) };
      replacedBy = version.revision;
      return version;
    });
  }

  /** The change of a key that came after that of the revision; undefined: there is none. */
  #changeAfter(key: string, revision: bigint): bigint | undefined {
    const packed = revision < this.segments.through ? this.segments.nextOf(key, revision) : undefined;
    if (packed !== undefined) return packed.revision;
    const start = encodeIndexKey(key, revision + 1n);
    for (const found of this.#open.index.getKeys({ start, reverse: true, limit: 1 })) {
      const stemBytes = start.length - 8;
      if (found.length !== start.length || start.compare(found, 0, stemBytes, 0, stemBytes) !== 0) return undefined;
      return revisionInIndexKey(found);
    }
    return undefined;
  }

  /** The version that an entry of the index names. */
  recordIn({ stem, revision, replacedBy }: IndexEntry & { readonly replacedBy?: bigint }): WriteRecord {
    return this.logged(revision) ?? this.recordOf(keyInStem(stem), revision, replacedBy);
  }

  /**
   * The version of a key, also one that only the history needs. `replacedBy`: the key's next change, if that is known. Throws when it is
   * missing.
   */
  recordOf(key: string, revision: bigint, replacedBy?: bigint): WriteRecord {
    const record =
      this.logged(revision) ??
      this.former.read(key, revision, {
        known: replacedBy,
        log: (at) => this.logged(at),
        next: (at) => this.#changeAfter(key, at),
      });
    if (record === undefined) throw new KvError("damaged", `the record of revision ${revision} is missing`);
    if (record.key !== key) {
      throw new KvError("damaged", `revision ${revision} should be of key ${key} and is of ${record.key}`);
    }
    return record;
  }

  /**
   * Up to `max` live versions under a prefix at a revision, in key order, from `resume` on. All belong to one moment, because
   * versions are only added, and none is swept while its revision is being read.
   */
  versions(prefix: string, revision: bigint, max: number, resume: Buffer): VersionPage {
    const found: IndexEntry[] = [];
    let stem: Buffer | undefined;
    let visited = 0;
    for (const { key, value } of this.#open.index.getRange({ start: resume, end: encodeIndexBound(prefix, true) })) {
      const entry = this.indexEntry(key, value);
      visited += 1;
      const older = stem?.equals(entry.stem) === true;
      // Stop between two keys only: the next page must not take an older version for the newest.
      if (!older && (found.length >= max || visited >= visitedMax)) return { found, resume: key };
      // Newest first: the first version that is not too new is the one, the older ones behind it are skipped.
      if (entry.revision > revision || older) continue;
      stem = entry.stem;
      if (!entry.deleted) found.push(entry);
    }
    return { found };
  }

  /** Where the versions under a prefix begin. */
  firstVersion(prefix: string, start: string | undefined): Buffer {
    const bound = encodeIndexBound(prefix, false);
    // Without the end mark it lies before all keys that begin with the prefix.
    const begin = bound.subarray(0, bound.length - 1);
    return start === undefined ? begin : maxOf(begin, encodeIndexBound(start, false));
  }

  /** The raw index from `start` on, past versions and damaged entries included; for a check of the whole file. */
  rawIndex(start: Buffer, limit: number): { readonly key: Buffer; readonly value: Buffer }[] {
    return [...this.#open.index.getRange({ start, limit })];
  }

  /** What was read of the history may be another one now. */
  forgetRead(): void {
    this.segments.release();
    this.former.forgetRead();
  }

  /** How many versions are kept, live and past. */
  countRecords(): number {
    return this.#open.log.getKeysCount() + this.former.count();
  }

  /** How much of the file has contents; the rest is meaningless. Costs a lookup in several tables. */
  usedBytes(): number {
    // The library's types do not say what this returns.
    const { pageSize, lastPageNumber } = this.#open.root.getStats() as { pageSize: number; lastPageNumber: number };
    return (lastPageNumber + 1) * pageSize;
  }

  /** Waits for running commits. */
  async close(): Promise<void> {
    await this.#tables?.root.close();
  }
}

interface OpenOptions {
  /** False turns off durability. */
  readonly sync: boolean;
  /** Whether notes will be written. */
  readonly notes?: boolean;
  /** Other migrations than those of this program; for tests. */
  readonly steps?: readonly Migration[];
}

/** The library reports the cause in a second promise; without a handler its rejection would end the process. */
async function heard<Result>(commit: Promise<Result>): Promise<Result> {
  try {
    return await commit;
  } catch (error) {
    await (error as { commitError?: Promise<never> }).commitError;
    throw error;
  }
}

function maxOf(a: Buffer, b: Buffer): Buffer {
  return a.compare(b) < 0 ? b : a;
}
