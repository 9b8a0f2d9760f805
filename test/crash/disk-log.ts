/** What the shim recorded of a process and its disk, and what the disk may hold if power is lost at any moment. */

/** The numbers are those of disk-shim.c. */
const kinds = [
  "opened",
  "write begun",
  "write done",
  "sync begun",
  "sync done",
  "cut to",
  "linked",
  "renamed",
  "removed",
  "said",
  "folder made",
] as const;

export interface DiskRecord {
  readonly kind: (typeof kinds)[number];
  /** Which opening of a file; 0: none. */
  readonly file: number;
  /** Of a write: where. Of an opening: 1 for a folder. Of a finished write: 1 if it is on the disk with that. */
  readonly offset: number;
  readonly data: Buffer;
}

const headBytes = 24;

/** The records in order; a last one that a kill has truncated is dropped. */
export function parseDiskLog(bytes: Buffer): DiskRecord[] {
  const records: DiskRecord[] = [];
  for (let at = 0; at + headBytes <= bytes.length; ) {
    const kind = kinds[bytes.readUInt32LE(at) - 1];
    const end = at + headBytes + Number(bytes.readBigUInt64LE(at + 16));
    if (kind === undefined) throw new Error(`the log of the disk has no record at ${at}`);
    if (end > bytes.length) break;
    const file = bytes.readUInt32LE(at + 4);
    const offset = Number(bytes.readBigUInt64LE(at + 8));
    records.push({ kind, file, offset, data: bytes.subarray(at + headBytes, end) });
    at = end;
  }
  return records;
}

/** The unit that a disk writes whole or not at all. */
export const sectorBytes = 512;

interface PendingWrite {
  readonly offset: number;
  readonly data: Buffer;
  done: boolean;
}

/** The bytes of a file: those that are safe, and writes that no sync has covered yet. */
class Inode {
  safe: Buffer;
  pending: PendingWrite[] = [];

  constructor(safe: Buffer) {
    this.safe = safe;
  }
}

type FolderChange =
  | { readonly is: "named"; readonly path: string; readonly inode: Inode }
  | { readonly is: "renamed"; readonly from: string; readonly to: string }
  | { readonly is: "removed"; readonly path: string };

interface Opening {
  readonly path: string;
  /** Undefined: a folder. */
  readonly inode: Inode | undefined;
  /** What the current sync will have made safe. */
  syncing: { readonly writes: readonly PendingWrite[]; readonly changes: number };
}

/**
 * Decides which unsafe pieces survive. `keepWrite` is called for each write, `keepSector` for each of its
 * sectors; `shuffle` brings the sectors into another order, as a disk may write them.
 */
export interface Luck {
  keepChange(): boolean;
  keepWrite(): boolean;
  keepSector(): boolean;
  shuffle<Item>(items: Item[]): Item[];
}

/**
 * A model of a disk: it takes the records one by one and shows at any moment what may be left after a loss of power:
 * all that a finished sync covered, and of the rest any part in any order.
 *
 *     write A, sync, write B       A, and B or not, or some sectors of B
 */
export class PowerlessDisk {
  readonly #names = new Map<string, Inode>();
  readonly #safeNames: Map<string, Inode>;
  #changes: FolderChange[] = [];
  readonly #openings = new Map<number, Opening>();
  readonly #said: Buffer[] = [];

  /** `files`: what was there and safe before the first record, by path. */
  constructor(files: ReadonlyMap<string, Buffer>) {
    for (const [path, bytes] of files) this.#names.set(path, new Inode(bytes));
    this.#safeNames = new Map(this.#names);
  }

  /** What the process has written to its standard output so far. */
  get said(): string {
    return Buffer.concat(this.#said).toString();
  }

  /** Whether a loss of power could lose something now. */
  get pending(): boolean {
    return this.#changes.length > 0 || [...this.#names.values()].some((inode) => inode.pending.length > 0);
  }

  take(record: DiskRecord): void {
    const opening = this.#openings.get(record.file);
    const inode = opening?.inode;
    switch (record.kind) {
      case "opened":
        this.#open(record);
        break;
      case "write begun":
        inode?.pending.push({ offset: record.offset, data: record.data, done: false });
        break;
      case "write done": {
        const write = inode?.pending.findLast(({ done }) => !done);
        if (inode === undefined || write === undefined) break;
        write.done = true;
        if (record.offset === 1) makeSafe(inode, [write]);
        break;
      }
      case "sync begun":
        if (opening === undefined) break;
        opening.syncing = {
          writes: (inode?.pending ?? []).filter(({ done }) => done),
          changes: inode === undefined ? this.#changes.length : 0,
        };
        break;
      case "sync done":
        if (opening === undefined) break;
        if (inode !== undefined) makeSafe(inode, opening.syncing.writes);
        for (const change of this.#changes.splice(0, opening.syncing.changes)) applyChange(this.#safeNames, change);
        break;
      case "cut to":
        // The table of readers is mapped and holds anything; another file is emptied before it has ever held anything.
        if (record.offset > 0 && opening?.path.endsWith("-lock") !== true) throw new Error("a file was cut to a size");
        if (record.offset === 0 && inode !== undefined) [inode.safe, inode.pending] = [Buffer.alloc(0), []];
        break;
      case "linked":
      case "renamed":
      case "removed":
        this.#change(record);
        break;
      case "said":
        this.#said.push(record.data);
        break;
      case "folder made":
        break; // its name becomes safe by a sync of its parent folder, which this log does not record
    }
  }

  /** The files after a loss of power now. */
  cut(luck: Luck): Map<string, Buffer> {
    const names = new Map(this.#safeNames);
    for (const change of this.#changes) if (luck.keepChange()) applyChange(names, change);
    return new Map([...names].map(([path, inode]) => [path, withSome(inode, luck)]));
  }

  #open({ file, offset, data }: DiskRecord): void {
    const path = data.toString();
    const syncing = { writes: [], changes: 0 };
    if (offset === 1) {
      this.#openings.set(file, { path, inode: undefined, syncing });
      return;
    }
    let inode = this.#names.get(path);
    if (inode === undefined) {
      inode = new Inode(Buffer.alloc(0));
      this.#names.set(path, inode);
      this.#changes.push({ is: "named", path, inode });
    }
    this.#openings.set(file, { path, inode, syncing });
  }

  #change({ kind, data }: DiskRecord): void {
    const [from = "", to = ""] = data.toString().split("\n");
    const inode = this.#names.get(from);
    if (inode === undefined) return; // the call failed: there was no such file
    if (kind === "linked" && this.#names.has(to)) return;
    const change: FolderChange =
      kind === "linked"
        ? { is: "named", path: to, inode }
        : kind === "renamed"
          ? { is: "renamed", from, to }
          : { is: "removed", path: from };
    applyChange(this.#names, change);
    this.#changes.push(change);
  }
}

function applyChange(names: Map<string, Inode>, change: FolderChange): void {
  if (change.is === "named") names.set(change.path, change.inode);
  else if (change.is === "removed") names.delete(change.path);
  else {
    const inode = names.get(change.from);
    if (inode === undefined) return;
    names.delete(change.from);
    names.set(change.to, inode);
  }
}

function makeSafe(inode: Inode, writes: readonly PendingWrite[]): void {
  for (const { offset, data } of writes) inode.safe = overwrite(inode.safe, offset, data);
  inode.pending = inode.pending.filter((write) => !writes.includes(write));
}

function withSome(inode: Inode, luck: Luck): Buffer {
  const pieces: { readonly offset: number; readonly data: Buffer }[] = [];
  for (const { offset, data } of inode.pending) {
    if (!luck.keepWrite()) continue;
    for (let at = 0; at < data.length; ) {
      const end = Math.min(data.length, at + sectorBytes - ((offset + at) % sectorBytes));
      if (luck.keepSector()) pieces.push({ offset: offset + at, data: data.subarray(at, end) });
      at = end;
    }
  }
  let bytes: Buffer = Buffer.from(inode.safe);
  for (const { offset, data } of luck.shuffle(pieces)) bytes = overwrite(bytes, offset, data);
  return bytes;
}

/** In place where it fits; else with room for more, as files grow by appending. */
function overwrite(bytes: Buffer, offset: number, data: Buffer): Buffer {
  const end = offset + data.length;
  let target = bytes;
  if (end > bytes.length) {
    target = Buffer.alloc(end);
    bytes.copy(target);
  }
  data.copy(target, offset);
  return target;
}
