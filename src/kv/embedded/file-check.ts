/** Checks the data file before LMDB maps it: a damaged pointer in it would crash the process or make it hang. */

import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { nextTimeSlice } from "../../base/time-slice.ts";
import { DamagedFile } from "../contract.ts";

/*
 * The layout (LMDB data version 2, 64 bit, little-endian), as far as it is needed to walk the trees:
 *
 *     page   0 number u64 | 8 transaction u64 | 16 pad u16 | 18 flags u16 | 20 lower u16 | 22 upper u16 | 24 offsets u16…
 *     node   0 low u16 | 2 high u16 | 4 flags u16 | 6 key length u16 | 8 key | data
 *     meta   24 magic u32 | 28 version u32 | 40 map size u64 | 48 free tree | 96 main tree | 144 last page | 152 transaction
 *     tree   0 pad u32 | 4 flags u16 | 6 depth u16 | 8 branches u64 | 16 leaves u64 | 24 overflows u64 | 32 entries u64 | 40 root u64
 *
 * A branch node's data is the child's number in low, high and flags. A leaf node's data is inline, or (flag 1) three
 * numbers that name a run of overflow pages, or (flag 2) a tree.
 */
const headerBytes = 24;
const nodeBytes = 8;
const treeBytes = 48;
const metaBytes = 160;
const magic = 0xbeefc0de;
const dataVersion = 2;
const isBranch = 0x01;
const isLeaf = 0x02;
const isOverflow = 0x04;
const isMeta = 0x08;
const nodeBig = 0x01;
const nodeTree = 0x02;
/** Flags of the free tree: its keys are integers, and the path names the file itself. */
const metaFlags = 0x4008;
/** Flags of a table: none, or that every value begins with a version. */
const tableFlags = [0, 0x100];
/** What `readNumber` returns for 2^64 - 1: the root of an empty tree. */
const noPage = Number.POSITIVE_INFINITY;
const depthMax = 32;
/** How far the last page may lie behind the end of the file: pages that were freed before they were ever written. */
const behindEndBytesMax = 16 * 1024 * 1024;
/** No file of ours is mapped larger than this; a damaged size would ask the system for the impossible. */
const mapBytesMax = 2 ** 46;
/** The check yields to the event loop after this many pages. */
const pagesPerTurn = 4_000;

/**
 * Throws KvError("damaged") naming the file. Reads every page that is in use once, and nothing twice. Returns how many
 * bytes of the file have contents.
 */
export async function checkFile(path: string): Promise<number> {
  const file = openSync(path, "r");
  try {
    const { size } = fstatSync(file);
    if (size === 0) return 0; // not written yet
    return await new Walk(path, file, size).run();
  } finally {
    closeSync(file);
  }
}

interface Tree {
  readonly flags: number;
  readonly depth: number;
  readonly branches: number;
  readonly leaves: number;
  readonly overflows: number;
  readonly entries: number;
  readonly root: number;
}

/** A page to check; its keys are at or above `low` and below `high`. */
interface PendingPage {
  readonly number: number;
  readonly depth: number;
  readonly low: Buffer | undefined;
  readonly high: Buffer | undefined;
}

interface LeafNode {
  readonly at: number;
  readonly key: Buffer;
  readonly dataAt: number;
  /** For messages. */
  readonly where: string;
  readonly name: string;
}

/** Gets each key of a tree and what it holds; long values only of the free pages, the only ones whose contents are checked. */
type OnLeaf = (key: Buffer, data: Buffer, flags: number) => void;

const freeTable = "free pages";

interface Meta {
  readonly pageBytes: number;
  readonly free: Tree;
  readonly main: Tree;
  readonly lastPage: number;
  readonly transaction: number;
}

class Walk {
  readonly #path: string;
  readonly #file: number;
  readonly #size: number;
  #pageBytes = 0;
  #pages = 0;
  #transaction = 0;
  #page = Buffer.alloc(0);
  #visits = 0;
  /** 1: in a tree or an overflow run; 2: on the free list. */
  #seen = new Uint8Array(0);

  constructor(path: string, file: number, size: number) {
    this.#path = path;
    this.#file = file;
    this.#size = size;
  }

  async run(): Promise<number> {
    const first = this.#meta(0, 0);
    const second = this.#meta(1, first.pageBytes);
    if (second.pageBytes !== first.pageBytes) this.#damaged("the meta pages disagree");
    const [older, newer] = first.transaction < second.transaction ? [first, second] : [second, first];
    // Transactions take turns at the two pages, so the numbers are neighbours; both are zero before the first one.
    const distance = newer.transaction - older.transaction;
    if (distance !== 1 && newer.transaction !== 0) this.#damaged("the meta pages are not of neighbouring transactions");
    if (distance === 1 && newer.transaction % 2 !== (newer === first ? 0 : 1)) {
      this.#damaged("a meta page is of the wrong transaction");
    }
    this.#pageBytes = newer.pageBytes;
    // The file is kept ahead of its contents, so LMDB never wrote a last page far behind its end.
    const behindBytes = (newer.lastPage + 1) * newer.pageBytes - this.#size;
    if (behindBytes > behindEndBytesMax) {
      this.#damaged(`the newest meta page says that ${behindBytes} bytes of contents lie behind the end of the file`);
    }
    this.#page = Buffer.alloc(this.#pageBytes);
    this.#transaction = newer.transaction;
    // The last pages of the file may be free and never have been written.
    this.#pages = newer.lastPage + 1;
    this.#seen = new Uint8Array(Math.min(this.#pages, Math.ceil(this.#size / this.#pageBytes)));
    const freeLists: Buffer[] = [];
    await this.#tree(newer.free, freeTable, (_key, data) => freeLists.push(Buffer.from(data)));
    const trees: { name: string; tree: Tree }[] = [];
    await this.#tree(newer.main, "main", (key, data, flags) => {
      if ((flags & nodeTree) === 0) return;
      if (data.length !== treeBytes) this.#damaged("the description of a table has the wrong length");
      const tree = readTree(data, 0);
      if (!tableFlags.includes(tree.flags)) this.#damaged("a table has unknown flags");
      trees.push({ name: key.toString("latin1"), tree });
    });
    for (const { name, tree } of trees) await this.#tree(tree, name, () => {});
    for (const list of freeLists) this.#freeList(list);
    return this.#pages * this.#pageBytes;
  }

  #meta(number: number, offset: number): Meta {
    const page = this.#read(offset, metaBytes + 8);
    if (page.readUInt16LE(18) !== isMeta) this.#damaged(`page ${number} is not a meta page`);
    if (page.readUInt32LE(24) !== magic) this.#damaged("this is not a data file of ours");
    if ((page.readUInt32LE(28) & 0xffff) !== dataVersion) this.#damaged("the data version is unknown");
    const pageBytes = page.readUInt32LE(48);
    if (pageBytes < 512 || pageBytes > 65_536 || (pageBytes & (pageBytes - 1)) !== 0) {
      this.#damaged(`a page size of ${pageBytes} is impossible`);
    }
    const mapBytes = readNumber(page, 40);
    const lastPage = readNumber(page, 144);
    if (lastPage < 1 || lastPage > mapBytesMax / pageBytes) this.#damaged("the last page is impossible");
    // A commit that needs more pages enlarges the map first, by whole pages.
    if (mapBytes > mapBytesMax || mapBytes % pageBytes !== 0 || mapBytes < (lastPage + 1) * pageBytes) {
      this.#damaged("the map size is impossible");
    }
    const free = readTree(page, 48);
    const main = readTree(page, 96);
    if (free.flags !== metaFlags || main.flags !== 0) this.#damaged("a meta page has unknown flags");
    return { pageBytes, free, main, lastPage, transaction: readNumber(page, 152) };
  }

  async #tree(tree: Tree, name: string, onLeaf: OnLeaf): Promise<void> {
    const count = { branches: 0, leaves: 0, overflows: 0, entries: 0 };
    const compare = (tree.flags & 0x08) === 0 ? Buffer.compare : compareIntegers;
    if (tree.root === noPage) {
      if (tree.entries !== 0) this.#damaged(`the table ${name} has no root`);
      return;
    }
    if (tree.depth > depthMax) this.#damaged(`the table ${name} is too deep`);
    const pending: PendingPage[] = [{ number: tree.root, depth: 1, low: undefined, high: undefined }];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const { number, depth, low, high } = next;
      const page = this.#takePage(number, name);
      this.#visits += 1;
      if (this.#visits % pagesPerTurn === 0) await nextTimeSlice();
      const flags = page.readUInt16LE(18);
      if (flags !== (depth === tree.depth ? isLeaf : isBranch))
        this.#damaged(`page ${number} of ${name} is of the wrong kind`);
      const nodes = this.#nodes(page, number, name);
      const where = `page ${number} of ${name}`;
      let before = low;
      const children: { number: number; key: Buffer | undefined }[] = [];
      for (const [index, at] of nodes.entries()) {
        const keyLength = page.readUInt16LE(at + 6);
        const dataAt = at + nodeBytes + keyLength;
        if (dataAt > page.length) this.#damaged(`a key in page ${number} of ${name} is too long`);
        const key = page.subarray(at + nodeBytes, dataAt);
        // A branch's first key stands for everything below the second and is not stored.
        const inOrder = before === undefined || (index === 0 ? compare(before, key) <= 0 : compare(before, key) < 0);
        const unnamed = flags === isBranch && index === 0;
        if (!unnamed) {
          if (!inOrder || (high !== undefined && compare(key, high) >= 0)) {
            this.#damaged(`the keys in page ${number} of ${name} are out of order`);
          }
          before = key;
        }
        if (flags === isBranch) {
          const child = page.readUInt32LE(at) + page.readUInt16LE(at + 4) * 2 ** 32;
          children.push({ number: child, key: unnamed ? low : Buffer.from(key) });
          continue;
        }
        count.entries += 1;
        count.overflows += this.#leafNode(page, { at, key, dataAt, where, name }, onLeaf);
      }
      if (flags === isLeaf) {
        count.leaves += 1;
        continue;
      }
      count.branches += 1;
      if (children.length === 0) this.#damaged(`page ${number} of ${name} is empty`);
      for (const [index, child] of children.entries()) {
        pending.push({
          number: child.number,
          depth: depth + 1,
          low: child.key,
          high: children[index + 1]?.key ?? high,
        });
      }
    }
    if (
      count.branches !== tree.branches ||
      count.leaves !== tree.leaves ||
      count.overflows !== tree.overflows ||
      count.entries !== tree.entries
    ) {
      this.#damaged(`the table ${name} does not hold what its description says`);
    }
  }

  /** Checks what one key holds and returns how many pages it has outside of its own. */
  #leafNode(page: Buffer, node: LeafNode, onLeaf: OnLeaf): number {
    const { at, key, dataAt, where, name } = node;
    const flags = page.readUInt16LE(at + 4);
    const length = page.readUInt32LE(at);
    if ((flags & ~(nodeBig | nodeTree)) !== 0) this.#damaged(`a node in ${where} has unknown flags`);
    if ((flags & nodeBig) === 0) {
      if (dataAt + length > page.length) this.#damaged(`a value in ${where} is too long`);
      onLeaf(key, page.subarray(dataAt, dataAt + length), flags);
      return 0;
    }
    if (dataAt + 24 > page.length) this.#damaged(`a reference in ${where} is cut off`);
    const run = readNumber(page, dataAt + 16);
    const data = this.#overflow(readNumber(page, dataAt), run, length, name);
    if (name === freeTable) onLeaf(key, data(), flags);
    return run;
  }

  #takePage(number: number, name: string): Buffer {
    this.#mark(number, 1, 1, name);
    const page = this.#readPage(number);
    if (readNumber(page, 0) !== number) this.#damaged(`page ${number} of ${name} has the number of another page`);
    if (readNumber(page, 8) > this.#transaction) this.#damaged(`page ${number} of ${name} is from the future`);
    return page;
  }

  /** Where the nodes of a page begin. */
  #nodes(page: Buffer, number: number, name: string): number[] {
    const lower = page.readUInt16LE(20);
    const upper = page.readUInt16LE(22);
    if (lower % 2 !== 0 || lower > upper || headerBytes + upper > page.length) {
      this.#damaged(`page ${number} of ${name} has impossible bounds`);
    }
    const nodes: number[] = [];
    for (let index = 0; index < lower / 2; index += 1) {
      const offset = page.readUInt16LE(headerBytes + index * 2);
      const at = headerBytes + offset;
      if (offset < upper || offset % 2 !== 0 || at + nodeBytes > page.length) {
        this.#damaged(`a node of page ${number} of ${name} lies outside`);
      }
      nodes.push(at);
    }
    return nodes;
  }

  /** Checks a run of overflow pages; the returned function reads the value. */
  #overflow(number: number, run: number, length: number, name: string): () => Buffer {
    // A value that became shorter in the transaction that wrote it keeps its pages; lists of free pages often do.
    const needed = Math.floor((headerBytes - 1 + length) / this.#pageBytes) + 1;
    if (run < needed) this.#damaged(`a long value of ${name} has the wrong number of pages`);
    this.#mark(number, run, 1, name);
    const header = this.#read(number * this.#pageBytes, headerBytes);
    if (readNumber(header, 0) !== number || header.readUInt16LE(18) !== isOverflow || header.readUInt32LE(20) !== run) {
      this.#damaged(`page ${number} of ${name} should begin a long value`);
    }
    // A read behind the end of the file would crash the process: read the last byte as a check.
    this.#read(number * this.#pageBytes + headerBytes + length - 1, 1);
    return () => this.#read(number * this.#pageBytes + headerBytes, length);
  }

  /** A list is its length and then page numbers; two numbers after a negated count stand for a run of pages. */
  #freeList(list: Buffer): void {
    if (list.length < 8 || list.length % 8 !== 0) this.#damaged("a list of free pages has an odd length");
    const count = readNumber(list, 0);
    if (count > list.length / 8 - 1) this.#damaged("a list of free pages is cut off");
    for (let index = 1; index <= count; index += 1) {
      const entry = Number(list.readBigInt64LE(index * 8));
      if (entry === 0) continue; // a slot that has been used up
      if (entry > 0) {
        this.#mark(entry, 1, 2, freeTable);
        continue;
      }
      index += 1;
      if (index > count) this.#damaged("a list of free pages is cut off");
      this.#mark(readNumber(list, index * 8), -entry, 2, freeTable);
    }
  }

  #mark(number: number, run: number, as: number, name: string): void {
    if (number < 2 || run < 1 || number + run > this.#pages) this.#damaged(`${name} names a page that does not exist`);
    for (let page = number; page < number + run; page += 1) {
      if (page >= this.#seen.length) {
        if (as === 2) return; // free and never written
        this.#damaged(`the file ends before page ${page} of ${name}`);
      }
      if (this.#seen[page] !== 0) this.#damaged(`page ${page} is used twice (${name})`);
      this.#seen[page] = as;
    }
  }

  /** The page that was read before is overwritten: a caller that needs part of it for longer takes a copy. */
  #readPage(number: number): Buffer {
    const offset = number * this.#pageBytes;
    const page = this.#page;
    if (offset + page.length > this.#size || readSync(this.#file, page, 0, page.length, offset) !== page.length) {
      this.#damaged("the file is too short");
    }
    return page;
  }

  #read(offset: number, length: number): Buffer {
    const out = Buffer.allocUnsafe(length);
    if (offset + length > this.#size || readSync(this.#file, out, 0, length, offset) !== length) {
      this.#damaged("the file is too short");
    }
    return out;
  }

  #damaged(what: string): never {
    const shown = what.replace(/\p{Cc}/gu, ""); // names of tables are bytes of the file
    throw new DamagedFile(`the data file ${this.#path} is damaged: ${shown}`, "restore it from a backup");
  }
}

function readTree(bytes: Buffer, at: number): Tree {
  return {
    flags: bytes.readUInt16LE(at + 4),
    depth: bytes.readUInt16LE(at + 6),
    branches: readNumber(bytes, at + 8),
    leaves: readNumber(bytes, at + 16),
    overflows: readNumber(bytes, at + 24),
    entries: readNumber(bytes, at + 32),
    root: readNumber(bytes, at + 40),
  };
}

/** 64 bits as a number; Infinity: too large for an exact number, and larger than any count or size in our files. */
function readNumber(bytes: Buffer, at: number): number {
  const high = bytes.readUInt32LE(at + 4);
  return high > 0x1f_ffff ? Number.POSITIVE_INFINITY : high * 2 ** 32 + bytes.readUInt32LE(at);
}

function compareIntegers(a: Buffer, b: Buffer): number {
  if (a.length !== 8 || b.length !== 8) return a.length - b.length;
  const [x, y] = [a.readBigUInt64LE(0), b.readBigUInt64LE(0)];
  return x < y ? -1 : x > y ? 1 : 0;
}
