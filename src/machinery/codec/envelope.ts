/**
 * How protobuf messages are sent: four magic bytes and an Unknown message that names the kind, lists made of encoded
 * items, and the frames of a watch.
 *
 *   6b 38 73 00 | 1: {1: apiVersion, 2: kind} | 2: the object's message | 3: "" | 4: ""
 */

import { checkBodySize, partsMax } from "../json/json-gate.ts";
import { bytesType, malformed, Reader, tagBytes, varintType, WireWriter } from "./wire.ts";

const magic = Uint8Array.of(0x6b, 0x38, 0x73, 0x00);
/** contentEncoding and contentType: both empty, both written. */
const trailer = Uint8Array.of(0x1a, 0x00, 0x22, 0x00);

const tags = [0, 1, 2, 3, 4].map((number) => tagBytes(number, bytesType));
const remainingTag = tagBytes(4, varintType);

interface Envelope {
  /** "": the client did not name it, and means the kind of the path. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly raw: Uint8Array;
}

export interface ListMeta {
  /** The path of the list, with the feature gate RemoveSelfLink off. */
  readonly selfLink?: string;
  readonly resourceVersion?: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

/** A whole object, as it is sent. */
export function encodeEnvelope(apiVersion: string, kind: string, raw: Uint8Array): Buffer {
  const head = encodeHead(apiVersion, kind, raw.length);
  return Buffer.concat([head, raw, trailer], head.length + raw.length + trailer.length);
}

/** What a client sent. */
export function decodeEnvelope(bytes: Uint8Array): Envelope {
  checkBodySize(bytes);
  return readEnvelope(bytes);
}

/** Reads an envelope of any size, for what this server itself made. */
export function readEnvelope(bytes: Uint8Array): Envelope {
  if (bytes.length <= magic.length || magic.some((byte, at) => bytes[at] !== byte)) {
    throw malformed("it does not begin with the bytes that every message begins with");
  }
  let apiVersion = "";
  let kind = "";
  let raw: Uint8Array = new Uint8Array();
  const reader = new Reader(bytes.subarray(magic.length), partsMax);
  reader.fields((number, wireType) => {
    if (number > 2) return false;
    reader.expect(wireType, bytesType);
    if (number === 2) raw = reader.bytes();
    else reader.message(readType);
    return true;
  });
  return { apiVersion, kind, raw };

  function readType(): void {
    reader.fields((number, wireType) => {
      if (number > 2) return false;
      reader.expect(wireType, bytesType);
      if (number === 1) apiVersion = reader.string();
      else kind = reader.string();
      return true;
    });
  }
}

/** A list in pieces that follow each other; the messages of its items are not copied. */
export function encodeListEnvelope(
  apiVersion: string,
  listKind: string,
  meta: ListMeta,
  items: readonly Uint8Array[],
): Buffer[] {
  const metadata = field(1, encodeListMeta(meta));
  const pieces: Buffer[] = [metadata];
  let length = metadata.length;
  for (const item of items) {
    const prefix = itemPrefix(item.length);
    pieces.push(prefix, Buffer.from(item.buffer, item.byteOffset, item.byteLength));
    length += prefix.length + item.length;
  }
  return [encodeHead(apiVersion, listKind, length), ...pieces, Buffer.from(trailer)];
}

/** The parts of a list's message: its metadata and its items, as messages. */
export function readListMessage(raw: Uint8Array): {
  readonly metadata: Uint8Array;
  readonly items: readonly Uint8Array[];
} {
  let metadata: Uint8Array = new Uint8Array();
  const items: Uint8Array[] = [];
  const reader = new Reader(raw, partsMax);
  reader.fields((number, wireType) => {
    if (number > 2) return false;
    reader.expect(wireType, bytesType);
    if (number === 1) metadata = reader.bytes();
    else items.push(reader.bytes());
    return true;
  });
  return { metadata, items };
}

/** One event of a watch: its length in four bytes, then {1: type, 2: {1: the object's envelope}}. */
export function encodeWatchFrame(type: string, envelope: Uint8Array): Buffer {
  const writer = new WireWriter(envelope.length + type.length + 32);
  writer.raw(envelope);
  writer.uint(envelope.length);
  writer.tag(tagOf(1));
  writer.uint(writer.length);
  writer.tag(tagOf(2));
  writer.string(type);
  writer.tag(tagOf(1));
  const { length } = writer;
  writer.raw(Uint8Array.of(length >>> 24, length >>> 16, length >>> 8, length));
  return writer.take();
}

/** Magic, type, and the start of the raw message of `rawLength` bytes. */
function encodeHead(apiVersion: string, kind: string, rawLength: number): Buffer {
  const writer = new WireWriter(64 + apiVersion.length + kind.length);
  writer.uint(rawLength);
  writer.tag(tagOf(2));
  const before = writer.length;
  writer.string(kind);
  writer.tag(tagOf(2));
  writer.string(apiVersion);
  writer.tag(tagOf(1));
  writer.uint(writer.length - before);
  writer.tag(tagOf(1));
  writer.raw(magic);
  return writer.take();
}

function encodeListMeta(meta: ListMeta): Buffer {
  const writer = new WireWriter(128);
  if (meta.remainingItemCount !== undefined) {
    writer.int(meta.remainingItemCount);
    writer.tag(remainingTag);
  }
  writer.string(meta.continue ?? "");
  writer.tag(tagOf(3));
  writer.string(meta.resourceVersion ?? "");
  writer.tag(tagOf(2));
  writer.string(meta.selfLink ?? "");
  writer.tag(tagOf(1));
  return writer.take();
}

function field(number: number, bytes: Uint8Array): Buffer {
  const writer = new WireWriter(bytes.length + 16);
  writer.raw(bytes);
  writer.uint(bytes.length);
  writer.tag(tagOf(number));
  return writer.take();
}

function itemPrefix(length: number): Buffer {
  const writer = new WireWriter(8);
  writer.uint(length);
  writer.tag(tagOf(2));
  return writer.take();
}

function tagOf(number: number): Uint8Array {
  return tags[number] as Uint8Array; // only called with the numbers of the table
}
