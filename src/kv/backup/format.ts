/** The byte format of a backup: framed records, each with a checksum, and a seal over all of them at the end. */

import { crc32 } from "node:zlib";
import { type KvEntry, keyBytesMax, valueBytesMax } from "../contract.ts";

/** Raised when a layout below changes so that an older program would misread it. */
export const backupFormat = 1;

/** The first bytes of every backup, of any format. */
export const magic = Buffer.from("orch backup\n");

/**
 * A record:
 *
 *     0 kind u8 | 1 length of the body u32 | 5 checksum of all but itself u32 | 9 body
 *
 * A backup is the magic, one header, the entries in key order, and one seal:
 *
 *     H  JSON: BackupHeader
 *     E  created u64 | revision u64 | key length u16 | key | value
 *     Z  JSON: {"entries": how many, "sha256": of all bytes before this record}
 */
export const kindHeader = 0x48;
export const kindEntry = 0x45;
export const kindSeal = 0x5a;
export const frameBytes = 9;
const entryHeadBytes = 18;

/** The longest body: a header has no reason to be longer than the largest entry. */
export const recordBytesMax = entryHeadBytes + keyBytesMax + valueBytesMax;

export interface BackupHeader {
  readonly format: number;
  /** The state of this revision is in the backup. */
  readonly revision: bigint;
  /** The names the objects are in. */
  readonly vocabulary: string;
  /** When it was made, and by which software; for people. */
  readonly made: string;
  readonly software: string;
}

interface BackupSeal {
  readonly entries: number;
  readonly sha256: string;
}

/** The backup cannot be used; the message names the damage and where it is. */
export class BackupError extends Error {}

function encodeRecord(kind: number, body: Uint8Array): Buffer {
  const out = Buffer.allocUnsafe(frameBytes + body.byteLength);
  out[0] = kind;
  out.writeUInt32BE(body.byteLength, 1);
  out.set(body, frameBytes);
  out.writeUInt32BE(recordChecksum(out), 5);
  return out;
}

/** The checksum of a whole record, without the four bytes that hold it. */
export function recordChecksum(record: Buffer): number {
  return crc32(record.subarray(frameBytes), crc32(record.subarray(0, 5)));
}

export function encodeHeader(header: BackupHeader): Buffer {
  return encodeRecord(kindHeader, Buffer.from(JSON.stringify({ ...header, revision: String(header.revision) })));
}

export function encodeEntry({ key, value, revision, created }: KvEntry): Buffer {
  const keyBytes = Buffer.byteLength(key);
  const body = Buffer.allocUnsafe(entryHeadBytes + keyBytes + value.byteLength);
  body.writeBigUInt64BE(created, 0);
  body.writeBigUInt64BE(revision, 8);
  body.writeUInt16BE(keyBytes, 16);
  body.write(key, entryHeadBytes);
  body.set(value, entryHeadBytes + keyBytes);
  return encodeRecord(kindEntry, body);
}

export function encodeSeal(seal: BackupSeal): Buffer {
  return encodeRecord(kindSeal, Buffer.from(JSON.stringify(seal)));
}

/** Undefined: the body is not a header. */
export function decodeHeader(body: Buffer): BackupHeader | undefined {
  const value = parse(body);
  const { format, revision, vocabulary, made, software } = value ?? {};
  if (!Number.isSafeInteger(format) || typeof revision !== "string" || !/^\d{1,20}$/.test(revision)) return undefined;
  if (typeof vocabulary !== "string" || typeof made !== "string" || typeof software !== "string") return undefined;
  return { format: Number(format), revision: BigInt(revision), vocabulary, made, software };
}

/** Undefined: the body is not an entry. */
export function decodeEntry(body: Buffer): KvEntry | undefined {
  if (body.length < entryHeadBytes) return undefined;
  const valueAt = entryHeadBytes + body.readUInt16BE(16);
  if (valueAt > body.length) return undefined;
  return {
    key: body.toString("utf8", entryHeadBytes, valueAt),
    value: body.subarray(valueAt),
    created: body.readBigUInt64BE(0),
    revision: body.readBigUInt64BE(8),
  };
}

/** Undefined: the body is not a seal. */
export function decodeSeal(body: Buffer): BackupSeal | undefined {
  const { entries, sha256 } = parse(body) ?? {};
  return Number.isSafeInteger(entries) && typeof sha256 === "string" ? { entries: Number(entries), sha256 } : undefined;
}

function parse(body: Buffer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body.toString("utf8"));
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
