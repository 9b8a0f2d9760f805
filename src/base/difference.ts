/** What of some bytes is not in others: pieces to copy, and bytes between them. */

/** Shorter pieces than this are not looked for. */
const blockBytes = 16;
/** A piece may be as short as this where it would be if what was replaced is as long as before, as a time is, or a number. */
const nearBytes = 6;
/** It is looked for in so many bytes. */
const nearReach = 40;
/** Numbers are written in groups of seven bits, and are below 2^31. */
const numberBytesMax = 5;

/**
 * `applyDifference(base, difference)` is `target` again. It is small if the target repeats long pieces of the base, in any order, and
 * hardly larger than the target if it repeats none. Takes time in proportion to both.
 */
export function differenceOf(base: Uint8Array, target: Uint8Array): Uint8Array {
  // A copied piece is longer than its description or as long, so only descriptions at the ends come on top.
  const out = Buffer.allocUnsafe(target.length + Math.ceil(target.length / 2) + 4 * numberBytesMax);
  let blocks: Blocks | undefined;
  const view = new DataView(target.buffer, target.byteOffset, target.length);
  const suffix = commonSuffix(base, target);
  const end = target.length - suffix;
  let length = 0;
  /** Up to where the target has been described. */
  let done = 0;
  /** Where the last piece of the base has ended. */
  let copied = 0;
  const insert = (to: number) => {
    if (to === done) return;
    length = writeNumber(out, length, (to - done) * 2);
    out.set(target.subarray(done, to), length);
    length += to - done;
    done = to;
  };
  const copy = (from: number, bytes: number) => {
    length = writeNumber(out, length, bytes * 2 + 1);
    length = writeNumber(out, length, from);
    done += bytes;
    copied = from + bytes;
  };
  const prefix = commonPrefix(base, 0, target, 0, end);
  if (prefix >= blockBytes) copy(0, prefix);
  for (let at = done; at + blockBytes <= end; ) {
    // Most of what changes is as long as before.
    const near = at === done && done > 0 ? nearPiece(base, target, { copied, done, end }) : undefined;
    if (near !== undefined) {
      insert(near.at);
      copy(near.from, near.bytes);
      at = done;
      continue;
    }
    blocks ??= new Blocks(base);
    const block = blocks.find(hashAt(view, at));
    const same = block < 0 ? 0 : commonPrefix(base, block, target, at, end);
    if (same < blockBytes) {
      at += 1;
      continue;
    }
    // The piece may have begun before the block that was found.
    let before = 0;
    while (before < at - done && before < block && base[block - before - 1] === target[at - before - 1]) before += 1;
    insert(at - before);
    copy(block - before, before + same);
    at = done;
  }
  if (suffix >= blockBytes) {
    insert(end);
    copy(base.length - suffix, suffix);
  } else insert(target.length);
  return new Uint8Array(out.buffer, out.byteOffset, length);
}

/** Throws RangeError if the difference is not one to this base. */
export function applyDifference(base: Uint8Array, difference: Uint8Array): Uint8Array {
  const read = new Numbers(difference);
  let bytes = 0;
  while (read.at < difference.length) {
    const step = read.next();
    bytes += step >>> 1;
    if ((step & 1) === 1) read.next();
    else read.at += step >>> 1;
  }
  const out = new Uint8Array(bytes);
  let length = 0;
  read.at = 0;
  while (read.at < difference.length) {
    const step = read.next();
    const count = step >>> 1;
    const isCopy = (step & 1) === 1;
    const from = isCopy ? read.next() : read.at;
    const source = isCopy ? base : difference;
    if (from + count > source.length) throw new RangeError("a difference names bytes that are not there");
    out.set(source.subarray(from, from + count), length);
    length += count;
    if (!isCopy) read.at += count;
  }
  return out;
}

/** The next piece that both have at the same distance from the last one. */
function nearPiece(
  base: Uint8Array,
  target: Uint8Array,
  { copied, done, end }: { readonly copied: number; readonly done: number; readonly end: number },
): { readonly at: number; readonly from: number; readonly bytes: number } | undefined {
  const reach = Math.min(nearReach, end - done, base.length - copied);
  for (let by = 0; by < reach; by += 1) {
    const bytes = commonPrefix(base, copied + by, target, done + by, end);
    if (bytes >= nearBytes) return { at: done + by, from: copied + by, bytes };
    by += bytes;
  }
  return undefined;
}

/** Where the blocks of the base are, by a hash of their bytes. */
class Blocks {
  /** The offset of a block plus one; of blocks with the same hash, the first. */
  readonly #offsets: Int32Array;
  readonly #mask: number;

  constructor(base: Uint8Array) {
    const count = Math.floor(base.length / blockBytes);
    const size = 2 ** Math.ceil(Math.log2(Math.max(1, count * 2)));
    this.#offsets = new Int32Array(size);
    this.#mask = size - 1;
    const view = new DataView(base.buffer, base.byteOffset, base.length);
    for (let block = 0; block < count; block += 1) {
      const slot = hashAt(view, block * blockBytes) & this.#mask;
      if (this.#offsets[slot] === 0) this.#offsets[slot] = block * blockBytes + 1;
    }
  }

  /** Of a block that may have this hash; -1: there is none. */
  find(hash: number): number {
    return this.#offsets[hash & this.#mask]! - 1;
  }
}

function hashAt(view: DataView, at: number): number {
  let hash = Math.imul(view.getInt32(at), 0x9e3779b1);
  hash = Math.imul(hash ^ view.getInt32(at + 4), 0x85ebca6b);
  hash = Math.imul(hash ^ view.getInt32(at + 8), 0xc2b2ae35);
  hash = Math.imul(hash ^ view.getInt32(at + 12), 0x27d4eb2f);
  return hash ^ (hash >>> 15);
}

function commonPrefix(base: Uint8Array, from: number, target: Uint8Array, at: number, end: number): number {
  const max = Math.min(base.length - from, end - at);
  let same = 0;
  while (same < max && base[from + same] === target[at + same]) same += 1;
  return same;
}

function commonSuffix(base: Uint8Array, target: Uint8Array): number {
  const max = Math.min(base.length, target.length);
  let same = 0;
  while (same < max && base[base.length - same - 1] === target[target.length - same - 1]) same += 1;
  return same;
}

function writeNumber(out: Uint8Array, at: number, value: number): number {
  let [rest, next] = [value, at];
  for (; rest > 0x7f; rest >>>= 7) out[next++] = (rest & 0x7f) | 0x80;
  out[next++] = rest;
  return next;
}

class Numbers {
  at = 0;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  next(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.#bytes[this.at++];
      if (byte === undefined) break;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
    throw new RangeError("a difference is cut off");
  }
}
