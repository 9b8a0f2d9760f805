/** The frames of SPDY/3.1, as far as streams to containers need them. */

export const frameTypes = { data: 0, synStream: 1, synReply: 2, rstStream: 3, ping: 6, goAway: 7 } as const;
/** The flag of the last frame of one direction of a stream. */
export const lastFlag = 1;
export const headBytes = 8;
const version = 3;
/** A stored block of deflate, which we use for headers, has a length of 16 bits. */
const headersBytesMax = 65_535;

export interface SpdyHead {
  /** 0 for data; otherwise one of the control frames. */
  readonly type: number;
  /** Only data frames have it here; control frames have theirs in their payload. */
  readonly streamId: number;
  readonly flags: number;
  readonly length: number;
}

/** Undefined: a control frame of another version of the protocol. */
export function readSpdyHead(bytes: Buffer): SpdyHead | undefined {
  const isControl = (bytes[0]! & 0x80) !== 0;
  const flags = bytes[4]!;
  const length = bytes.readUIntBE(5, 3);
  if (!isControl) return { type: frameTypes.data, streamId: bytes.readUInt32BE(0), flags, length };
  if ((bytes.readUInt16BE(0) & 0x7fff) !== version) return undefined;
  return { type: bytes.readUInt16BE(2), streamId: 0, flags, length };
}

export function dataFrame(streamId: number, data: Uint8Array, isLast: boolean): Buffer {
  const frame = Buffer.allocUnsafe(headBytes + data.length);
  frame.writeUInt32BE(streamId, 0);
  frame[4] = isLast ? lastFlag : 0;
  frame.writeUIntBE(data.length, 5, 3);
  frame.set(data, headBytes);
  return frame;
}

export function controlFrame(type: number, payload: Uint8Array, flags = 0): Buffer {
  const frame = Buffer.allocUnsafe(headBytes + payload.length);
  frame.writeUInt16BE(0x8000 | version, 0);
  frame.writeUInt16BE(type, 2);
  frame[4] = flags;
  frame.writeUIntBE(payload.length, 5, 3);
  frame.set(payload, headBytes);
  return frame;
}

/** Asks for a new stream. `isFirst`: the first frame with headers on its connection, where the stream of zlib begins. */
export function synStreamFrame(
  streamId: number,
  headers: Readonly<Record<string, string>>,
  { isFirst }: { readonly isFirst: boolean },
): Buffer {
  const start = Buffer.alloc(10); // stream, stream it belongs to, priority, slot
  start.writeUInt32BE(streamId, 0);
  return controlFrame(frameTypes.synStream, Buffer.concat([start, headerBlock(headers, isFirst)]));
}

/** Agrees to a stream. `isFirst`: as above. */
export function synReplyFrame(streamId: number, { isFirst }: { readonly isFirst: boolean }): Buffer {
  return controlFrame(frameTypes.synReply, Buffer.concat([uint32(streamId), headerBlock({}, isFirst)]));
}

/**
 * Headers must be one stream of zlib for the whole connection. Ours are short and few, so they are stored in it without compression,
 * which needs no state. An empty block ends each, so that a reader has all of it.
 */
function headerBlock(headers: Readonly<Record<string, string>>, isFirst: boolean): Buffer {
  const parts = [uint32(Object.keys(headers).length)];
  for (const text of Object.entries(headers).flatMap(([name, value]) => [name.toLowerCase(), value])) {
    const bytes = Buffer.from(text);
    parts.push(uint32(bytes.length), bytes);
  }
  const block = Buffer.concat(parts);
  if (block.length > headersBytesMax) throw new Error(`headers of a stream may have ${headersBytesMax} bytes`);
  const head = Buffer.alloc(5); // the type of the block, its length, and the complement of that
  head.writeUInt16LE(block.length, 1);
  head.writeUInt16LE(~block.length & 0xffff, 3);
  return Buffer.concat([
    ...(isFirst ? [Buffer.from([0x78, 0x01])] : []),
    head,
    block,
    Buffer.from([0, 0, 0, 0xff, 0xff]),
  ]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
