/** How records look on disk: layouts, checksums, and the order of keys. */

import { crc32 } from "node:zlib";
import { KvError, type KvNoted } from "../contract.ts";

/**
 * One write. Stored under its revision (8 bytes, big-endian):
 *
 *     0 checksum u32 | 4 kind u8 | 5 zero | 6 key length u16 | 8 created u64 | 16 previous u64 | 24 key | value
 */
export interface WriteRecord {
  readonly key: string;
  readonly revision: bigint;
  /** Absent: the key was deleted. */
  readonly value: Uint8Array | undefined;
  /** The revision of the write that made the key appear; for a delete, that of the entry it removed. */
  readonly created: bigint;
  /** The revision of the key's state before; 0n: there was none. */
  readonly previous: bigint;
}

const headerBytes = 24;
const kindPut = 1;
const kindDelete = 2;

/** `take` gives the memory for it. */
export function encodeLogRecord(record: WriteRecord, take: (bytes: number) => Buffer = Buffer.allocUnsafe): Buffer {
  const keyBytes = Buffer.byteLength(record.key);
  const valueBytes = record.value?.byteLength ?? 0;
  const out = take(headerBytes + keyBytes + valueBytes);
  out[4] = record.value === undefined ? kindDelete : kindPut;
  out[5] = 0;
  out.writeUInt16BE(keyBytes, 6);
  out.writeBigUInt64BE(record.created, 8);
  out.writeBigUInt64BE(record.previous, 16);
  out.write(record.key, headerBytes);
  if (record.value !== undefined) out.set(record.value, headerBytes + keyBytes);
  out.writeUInt32BE(logChecksum(out, record.revision), 0);
  return out;
}

export function decodeLogRecord(bytes: Buffer, revision: bigint): WriteRecord {
  const keyBytes = bytes.length < headerBytes ? 0 : bytes.readUInt16BE(6);
  if (bytes.length < headerBytes + keyBytes || bytes.readUInt32BE(0) !== logChecksum(bytes, revision)) {
    throw new KvError("damaged", `the record of revision ${revision}${nameIn(bytes)} is damaged`);
  }
  const valueAt = headerBytes + keyBytes;
  return {
    key: bytes.toString("utf8", headerBytes, valueAt),
    revision,
    value:
      bytes[4] === kindDelete
        ? undefined
        : new Uint8Array(bytes.buffer, bytes.byteOffset + valueAt, bytes.length - valueAt),
    created: bytes.readBigUInt64BE(8),
    previous: bytes.readBigUInt64BE(16),
  };
}

/** The revision is the seed, so a record under another revision is detected too. */
function logChecksum(bytes: Buffer, revision: bigint): number {
  return crc32(bytes.subarray(4), Number(BigInt.asUintN(32, revision)));
}

/** The readable part of the key, for the message: its text may be damaged as well. */
function nameIn(bytes: Buffer): string {
  if (bytes.length <= headerBytes) return "";
  const name = bytes.toString("utf8", headerBytes, Math.min(bytes.length, headerBytes + bytes.readUInt16BE(6)));
  return ` (key ${JSON.stringify(name.slice(0, 200))})`;
}

export function encodeRevision(revision: bigint): Buffer {
  const out = Buffer.allocUnsafe(8);
  out.writeBigUInt64BE(revision);
  return out;
}

export function decodeRevision(bytes: Uint8Array): bigint {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).readBigUInt64BE(0);
}

const revisionMax = 0xffff_ffff_ffff_ffffn;

/**
 * The key of an index entry: each byte of the key plus one, a zero, the revision counted down from the top.
 *
 * UTF-8 has no byte above 0xf4, so adding one frees the zero as an end mark: "a" sorts before "a\0" and "aa", all
 * versions of one key are neighbours, and the newest comes first.
 *
 *     "a" at 7   62 00 ff ff ff ff ff ff ff f8
 *     "a" at 5   62 00 ff ff ff ff ff ff ff fa
 *     "aa" at 6  62 62 00 ff …
 */
export function encodeIndexKey(key: string, revision: bigint): Buffer {
  const length = Buffer.byteLength(key);
  const out = Buffer.allocUnsafe(length + 9);
  out.write(key, 0);
  shift(out, length);
  out[length] = 0;
  out.writeBigUInt64BE(revisionMax - revision, length + 1);
  return out;
}

/** The first possible index key of a prefix (`after` false) or the first behind all of them. */
export function encodeIndexBound(prefix: string, after: boolean): Buffer {
  const length = Buffer.byteLength(prefix);
  const out = Buffer.allocUnsafe(length + 1);
  out.write(prefix, 0);
  shift(out, length);
  out[length] = after ? 0xff : 0;
  return out;
}

function shift(bytes: Buffer, length: number): void {
  for (let index = 0; index < length; index += 1) bytes[index]! += 1;
}

export interface IndexEntry {
  /** The part of the index key that stands for the key, with its end mark; equal for all versions of a key. */
  readonly stem: Buffer;
  readonly revision: bigint;
  readonly deleted: boolean;
}

export function decodeIndexEntry(key: Uint8Array, value: Uint8Array): IndexEntry {
  const bytes = Buffer.from(key.buffer, key.byteOffset, key.byteLength);
  if (bytes.length < 10 || value.length !== 5 || !sameBytes(value, indexValue(bytes, value[0] === kindDelete))) {
    throw new KvError("damaged", `an index entry is damaged (key ${JSON.stringify(unshift(bytes))})`);
  }
  return {
    stem: bytes.subarray(0, bytes.length - 8),
    revision: revisionMax - bytes.readBigUInt64BE(bytes.length - 8),
    deleted: value[0] === kindDelete,
  };
}

/** The key that an index entry is of. */
export const keyInStem = (stem: Buffer): string => unshift(Buffer.concat([stem, Buffer.alloc(8)]));

/** The revision that an index key names, which may be damaged. */
export const revisionInIndexKey = (key: Buffer): bigint =>
  key.length < 10 ? 0n : revisionMax - key.readBigUInt64BE(key.length - 8);

export function encodeIndexValue(indexKey: Buffer, deleted: boolean): Buffer {
  return indexValue(indexKey, deleted);
}

function indexValue(indexKey: Buffer, deleted: boolean): Buffer {
  const out = Buffer.allocUnsafe(5);
  out[0] = deleted ? kindDelete : kindPut;
  out.writeUInt32BE(crc32(indexKey, out[0]), 1);
  return out;
}

function unshift(indexKey: Buffer): string {
  const end = Math.max(0, indexKey.length - 9);
  return Buffer.from(indexKey.subarray(0, end).map((byte) => byte - 1)).toString("utf8");
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}

/** The progress of the store: written in the same transaction as the writes it counts. */
export interface StoreState {
  /** The newest revision. */
  readonly revision: bigint;
  /** History before this revision is not shown any more. */
  readonly compacted: bigint;
  /** History up to this revision has been removed from the files. */
  readonly swept: bigint;
}

export function encodeState(state: StoreState): Buffer {
  const out = Buffer.allocUnsafe(28);
  out.writeBigUInt64BE(state.revision, 4);
  out.writeBigUInt64BE(state.compacted, 12);
  out.writeBigUInt64BE(state.swept, 20);
  out.writeUInt32BE(crc32(out.subarray(4)), 0);
  return out;
}

export function decodeState(bytes: Buffer): StoreState {
  if (bytes.length !== 28 || bytes.readUInt32BE(0) !== crc32(bytes.subarray(4))) {
    throw new KvError("damaged", "the record of the newest revision is damaged");
  }
  return {
    revision: bytes.readBigUInt64BE(4),
    compacted: bytes.readBigUInt64BE(12),
    swept: bytes.readBigUInt64BE(20),
  };
}

/**
 * A write that had a note, without its value. Stored under its revision:
 *
 *     0 checksum u32 | 4 kind u8 | 5 zero | 6 key length u16 | 8 previous u64 | 16 time f64 | 24 bytes f64 | 32 key | note
 */
export interface NoteRecord extends KvNoted {
  /** How many bytes all notes have taken, with this one, since the store began to count. */
  readonly totalBytes: number;
}

const noteHeaderBytes = 32;

export function encodeNote(record: NoteRecord): Buffer {
  const keyBytes = Buffer.byteLength(record.key);
  const out = Buffer.allocUnsafe(noteHeaderBytes + keyBytes + record.note.byteLength);
  out[4] = record.deleted ? kindDelete : kindPut;
  out[5] = 0;
  out.writeUInt16BE(keyBytes, 6);
  out.writeBigUInt64BE(record.previous, 8);
  out.writeDoubleBE(record.atMs, 16);
  out.writeDoubleBE(record.totalBytes, 24);
  out.write(record.key, noteHeaderBytes);
  out.set(record.note, noteHeaderBytes + keyBytes);
  out.writeUInt32BE(logChecksum(out, record.revision), 0);
  return out;
}

export function decodeNote(bytes: Buffer, revision: bigint): NoteRecord {
  const keyBytes = bytes.length < noteHeaderBytes ? 0 : bytes.readUInt16BE(6);
  const noteAt = noteHeaderBytes + keyBytes;
  if (bytes.length < noteAt || bytes.readUInt32BE(0) !== logChecksum(bytes, revision))
    throw new KvError("damaged", `the note of revision ${revision} is damaged`);
  return {
    key: bytes.toString("utf8", noteHeaderBytes, noteAt),
    revision,
    previous: bytes.readBigUInt64BE(8),
    deleted: bytes[4] === kindDelete,
    atMs: bytes.readDoubleBE(16),
    totalBytes: bytes.readDoubleBE(24),
    note: new Uint8Array(bytes.buffer, bytes.byteOffset + noteAt, bytes.length - noteAt),
  };
}

/**
 * A state that a change with a note has replaced. Stored under the revision of that change, without its key, which the note has:
 *
 *     0 checksum u32 | 4 kind u8 | 5 depth u8 | 6 zero u16 | 8 revision u64 | 16 created u64 | 24 previous u64 | 32 moved f64 | 40 contents
 */
export interface FormerRecord extends Pick<WriteRecord, "revision" | "created" | "previous"> {
  /** The revision of the change. */
  readonly replacedBy: bigint;
  /** The contents are a difference to the state of that revision; otherwise they are the value. */
  readonly isDifference: boolean;
  /** How many older states, this one included, need the state that replaced it. */
  readonly depth: number;
  readonly contents: Uint8Array;
  /** How many bytes all states have taken that moved, with this one, since the store began to count. */
  readonly movedBytes: number;
}

const formerHeaderBytes = 40;
const kindDifference = 3;

export function encodeFormer(record: FormerRecord): Buffer {
  const out = Buffer.allocUnsafe(formerHeaderBytes + record.contents.byteLength);
  out[4] = record.isDifference ? kindDifference : kindPut;
  out[5] = record.depth;
  out.writeUInt16BE(0, 6);
  out.writeBigUInt64BE(record.revision, 8);
  out.writeBigUInt64BE(record.created, 16);
  out.writeBigUInt64BE(record.previous, 24);
  out.writeDoubleBE(record.movedBytes, 32);
  out.set(record.contents, formerHeaderBytes);
  out.writeUInt32BE(logChecksum(out, record.replacedBy), 0);
  return out;
}

export function decodeFormer(bytes: Buffer, replacedBy: bigint): FormerRecord {
  if (bytes.length < formerHeaderBytes || bytes.readUInt32BE(0) !== logChecksum(bytes, replacedBy))
    throw new KvError("damaged", `the state before revision ${replacedBy} is damaged`);
  return {
    replacedBy,
    isDifference: bytes[4] === kindDifference,
    depth: bytes[5]!,
    revision: bytes.readBigUInt64BE(8),
    created: bytes.readBigUInt64BE(16),
    previous: bytes.readBigUInt64BE(24),
    movedBytes: bytes.readDoubleBE(32),
    contents: new Uint8Array(bytes.buffer, bytes.byteOffset + formerHeaderBytes, bytes.length - formerHeaderBytes),
  };
}

/** The progress of the history, written in the same transaction as the state of the store. */
export interface NotedState {
  /** The newest revision of the store: another one was written by a program that keeps no history. */
  readonly revision: bigint;
  /** The oldest state that can be read, and since when it was current. */
  readonly oldest: bigint;
  readonly oldestAtMs: number;
  /** Notes up to this revision have been removed from the files. */
  readonly swept: bigint;
  /** `totalBytes` of the newest note, and of the one at or before `oldest`. */
  readonly totalBytes: number;
  readonly oldestBytes: number;
  /** The same of states that only the history needs. */
  readonly movedBytes: number;
  readonly oldestMovedBytes: number;
  /** The time of the newest note. */
  readonly atMs: number;
  /** Changes up to this revision are in segments; those in later ones do not count. */
  readonly packed: bigint;
}

const notedStateBytes = 88;
/** Of the record and of all segments: a history of another layout begins again. */
const notedLayout = 2;

export function encodeNotedState(state: NotedState): Buffer {
  const out = Buffer.allocUnsafe(notedStateBytes);
  out.writeBigUInt64BE(state.revision, 4);
  out.writeBigUInt64BE(state.oldest, 12);
  out.writeDoubleBE(state.oldestAtMs, 20);
  out.writeBigUInt64BE(state.swept, 28);
  out.writeDoubleBE(state.totalBytes, 36);
  out.writeDoubleBE(state.oldestBytes, 44);
  out.writeDoubleBE(state.atMs, 52);
  out.writeDoubleBE(state.movedBytes, 60);
  out.writeDoubleBE(state.oldestMovedBytes, 68);
  out.writeBigUInt64BE(state.packed, 76);
  out.writeUInt32BE(notedLayout, 84);
  out.writeUInt32BE(crc32(out.subarray(4)), 0);
  return out;
}

/** Undefined: it is damaged or of another layout, and the history begins again. */
export function decodeNotedState(bytes: Buffer): NotedState | undefined {
  if (bytes.length !== notedStateBytes || bytes.readUInt32BE(84) !== notedLayout) return undefined;
  if (bytes.readUInt32BE(0) !== crc32(bytes.subarray(4))) return undefined;
  return {
    revision: bytes.readBigUInt64BE(4),
    oldest: bytes.readBigUInt64BE(12),
    oldestAtMs: bytes.readDoubleBE(20),
    swept: bytes.readBigUInt64BE(28),
    totalBytes: bytes.readDoubleBE(36),
    oldestBytes: bytes.readDoubleBE(44),
    atMs: bytes.readDoubleBE(52),
    movedBytes: bytes.readDoubleBE(60),
    oldestMovedBytes: bytes.readDoubleBE(68),
    packed: bytes.readBigUInt64BE(76),
  };
}

export function encodeFormat(version: number): Buffer {
  return Buffer.from(`orch kv format ${version}\n`);
}

/** The format's number; undefined: this is not a format record. */
export function decodeFormat(bytes: Uint8Array): number | undefined {
  const match = /^orch kv format ([0-9]{1,6})\n$/.exec(Buffer.from(bytes).toString("latin1"));
  return match === null ? undefined : Number(match[1]);
}
