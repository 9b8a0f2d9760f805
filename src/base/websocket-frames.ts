/** The frames of WebSockets (RFC 6455) as both sides write and read them, and what proves that a server understood the handshake. */

export const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;
export type Opcode = (typeof opcodes)[keyof typeof opcodes];

/** Control frames are never longer. */
const controlBytesMax = 125;
/** The longest head: two bytes, a length of eight and a mask of four. */
export const headBytesMax = 14;
/** Fixed by the RFC. */
const acceptSuffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/** The answer of a server to the key of a client. */
export function acceptOf(key: string): string {
  const { createHash } = process.getBuiltinModule("node:crypto"); // with the first connection
  return createHash("sha1").update(key).update(acceptSuffix).digest("base64");
}

/** A whole message or control frame. Clients mask what they send, servers do not. */
export function encodeFrame(opcode: Opcode, payload: Uint8Array, mask?: Uint8Array): Buffer {
  const { length } = payload;
  const lengthBytes = length <= controlBytesMax ? 0 : length < 65_536 ? 2 : 8;
  const start = 2 + lengthBytes + (mask === undefined ? 0 : 4);
  const frame = Buffer.allocUnsafe(start + length);
  frame[0] = 0x80 | opcode;
  const masked = mask === undefined ? 0 : 0x80;
  if (lengthBytes === 0) frame[1] = masked | length;
  else if (lengthBytes === 2) {
    frame[1] = masked | 126;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = masked | 127;
    frame.writeBigUInt64BE(BigInt(length), 2);
  }
  if (mask !== undefined) frame.set(mask, start - 4);
  frame.set(payload, start);
  if (mask !== undefined) applyMask(frame.subarray(start), mask);
  return frame;
}

/** In place: masking and unmasking are the same. */
export function applyMask(bytes: Uint8Array, mask: Uint8Array): void {
  const [a = 0, b = 0, c = 0, d = 0] = mask;
  const whole = bytes.length & ~3;
  for (let at = 0; at < whole; at += 4) {
    bytes[at]! ^= a;
    bytes[at + 1]! ^= b;
    bytes[at + 2]! ^= c;
    bytes[at + 3]! ^= d;
  }
  for (let at = whole; at < bytes.length; at++) bytes[at]! ^= mask[at & 3] ?? 0;
}

export interface FrameHead {
  /** How many bytes the head has. */
  readonly size: number;
  readonly opcode: number;
  /** Whether the message ends with this frame. */
  readonly isLast: boolean;
  readonly isControl: boolean;
  readonly length: number;
  /** Undefined: the frame is not masked. */
  readonly mask: Buffer | undefined;
}

/**
 * The head that the bytes begin with; undefined: more must arrive first; "broken": no frame begins like this. No extensions are ever
 * negotiated, and control frames are short and whole.
 */
export function readFrameHead(bytes: Buffer): FrameHead | "broken" | undefined {
  if (bytes.length < 2) return undefined;
  const [first, second] = [bytes[0]!, bytes[1]!];
  const opcode = first & 0x0f;
  const short = second & 0x7f;
  const isLast = (first & 0x80) !== 0;
  const isControl = opcode >= opcodes.close;
  if ((first & 0x70) !== 0 || (isControl && (short > controlBytesMax || !isLast))) return "broken";
  const lengthBytes = short === 127 ? 8 : short === 126 ? 2 : 0;
  const maskBytes = (second & 0x80) === 0 ? 0 : 4;
  const size = 2 + lengthBytes + maskBytes;
  if (bytes.length < size) return undefined;
  const length =
    lengthBytes === 8 ? Number(bytes.readBigUInt64BE(2)) : lengthBytes === 2 ? bytes.readUInt16BE(2) : short;
  const mask = maskBytes === 0 ? undefined : Buffer.from(bytes.subarray(size - 4, size));
  return { size, opcode, isLast, isControl, length, mask };
}
