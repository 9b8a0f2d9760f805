/** Protocol buffers on the wire, as far as etcd's messages need them: integers, bytes and nested messages. */

const varintType = 0;
const fixed64Type = 1;
const bytesType = 2;
const fixed32Type = 5;

/** Collects the fields of one message, and writes all of them, with those of nested messages, into one buffer. Zero, empty and false are omitted, as in proto3. */
export class MessageWriter {
  /** Of each field its tag, and what follows it. */
  readonly #parts: (number | bigint | Uint8Array | MessageWriter)[] = [];
  #bytes = 0;

  int(field: number, value: bigint | number): this {
    return value === 0n || value === 0 ? this : this.chosenInt(field, value);
  }

  /** As `int`, but zero is written too: in a choice of several fields it says which one was chosen. */
  chosenInt(field: number, value: bigint | number): this {
    const plain = plainOf(value);
    return this.#add(field * 8 + varintType, plain, sizeOf(plain));
  }

  bool(field: number, value: boolean): this {
    return this.int(field, value ? 1 : 0);
  }

  bytes(field: number, value: Uint8Array): this {
    return value.byteLength === 0 ? this : this.#delimited(field, value, value.byteLength);
  }

  text(field: number, value: string): this {
    return this.bytes(field, Buffer.from(value));
  }

  /** It must be complete. An empty message is written too: its presence alone can carry meaning. */
  message(field: number, value: MessageWriter): this {
    return this.#delimited(field, value, value.#bytes);
  }

  messages(field: number, values: readonly MessageWriter[]): this {
    for (const value of values) this.message(field, value);
    return this;
  }

  finish(): Buffer {
    const out = Buffer.allocUnsafe(this.#bytes);
    const end = this.#writeTo(out, 0);
    if (end !== out.byteLength) throw new Error("a nested message was changed after it was added");
    return out;
  }

  #delimited(field: number, value: Uint8Array | MessageWriter, length: number): this {
    return this.#add(field * 8 + bytesType, value, sizeOf(length) + length);
  }

  #add(tag: number, part: number | bigint | Uint8Array | MessageWriter, bytes: number): this {
    this.#parts.push(tag, part);
    this.#bytes += sizeOf(tag) + bytes;
    return this;
  }

  #writeTo(out: Buffer, start: number): number {
    let at = start;
    for (const part of this.#parts) {
      if (typeof part === "number" || typeof part === "bigint") at = writeVarint(out, at, part);
      else if (part instanceof MessageWriter) at = part.#writeTo(out, writeVarint(out, at, part.#bytes));
      else {
        at = writeVarint(out, at, part.byteLength);
        out.set(part, at);
        at += part.byteLength;
      }
    }
    return at;
  }
}

/** A number where it can be one, as 64 bits without a sign. */
function plainOf(value: bigint | number): bigint | number {
  if (value >= 0 && value <= Number.MAX_SAFE_INTEGER) return Number(value);
  return BigInt.asUintN(64, BigInt(value));
}

function sizeOf(value: bigint | number): number {
  let size = 1;
  if (typeof value === "bigint") for (let rest = value >> 7n; rest > 0n; rest >>= 7n) size += 1;
  else for (let limit = 0x80; value >= limit; limit *= 0x80) size += 1;
  return size;
}

/** Returns where the next one begins. */
function writeVarint(out: Buffer, start: number, value: bigint | number): number {
  let at = start;
  let rest = value;
  for (; typeof rest === "bigint" && rest > 0x7fn; rest >>= 7n) out[at++] = Number(rest & 0x7fn) | 0x80;
  let low = Number(rest);
  for (; low > 0x7fff_ffff; low = Math.floor(low / 0x80)) out[at++] = (low % 0x80) | 0x80;
  for (; low > 0x7f; low >>= 7) out[at++] = (low & 0x7f) | 0x80;
  out[at] = low;
  return at + 1;
}

const noBytes = Buffer.alloc(0);

/**
 * The fields of a message in the order in which they came, one after the other; etcd does not use fields of a fixed width, so they are
 * skipped. A field is an integer, or bytes that are text, bytes or a message, whichever the reader knows.
 *
 *     const fields = new MessageFields(message);
 *     while (fields.next()) if (fields.number === 1) name = fields.bytes.toString();
 */
export class MessageFields {
  readonly #message: Buffer;
  #at: number;
  readonly #end: number;
  number = 0;
  /** Of the integer: its lower and its upper 32 bits. */
  #low = 0;
  #high = 0;
  /** Where the bytes begin; -1: it is an integer. */
  #from = -1;

  constructor(message: Buffer, start = 0, end = message.length) {
    this.#message = message;
    this.#at = start;
    this.#end = end;
  }

  /** Moves to the next field; false at the end of the message. */
  next(): boolean {
    while (this.#at < this.#end) {
      const tag = this.#readLength();
      this.number = Math.floor(tag / 8);
      switch (tag % 8) {
        case varintType:
          this.#readVarint();
          this.#from = -1;
          return true;
        case bytesType: {
          const length = this.#readLength();
          if (length > this.#end - this.#at) throw new Error("the message is cut off");
          this.#from = this.#at;
          this.#at += length;
          return true;
        }
        case fixed64Type:
          this.#at += 8;
          break;
        case fixed32Type:
          this.#at += 4;
          break;
        default:
          throw new Error(`the message has a field of unknown type ${tag % 8}`);
      }
    }
    return false;
  }

  /** 0n for bytes. */
  get int(): bigint {
    if (this.#from >= 0) return 0n;
    if (this.#high === 0) return BigInt(this.#low >>> 0);
    return BigInt.asIntN(64, (BigInt(this.#high >>> 0) << 32n) | BigInt(this.#low >>> 0));
  }

  /** A part of the message; empty for an integer. */
  get bytes(): Buffer {
    return this.#from < 0 ? noBytes : this.#message.subarray(this.#from, this.#at);
  }

  /** The fields of a nested message. */
  get fields(): MessageFields {
    return this.#from < 0 ? new MessageFields(noBytes) : new MessageFields(this.#message, this.#from, this.#at);
  }

  /** A tag or a length. */
  #readLength(): number {
    this.#readVarint();
    return (this.#high >>> 0) * 2 ** 32 + (this.#low >>> 0);
  }

  #readVarint(): void {
    let low = 0;
    let high = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      if (this.#at >= this.#end) throw new Error("the message is cut off");
      const byte = this.#message[this.#at]!;
      this.#at += 1;
      const part = byte & 0x7f;
      if (shift < 28) low |= part << shift;
      else if (shift === 28) {
        low |= part << 28;
        high |= part >> 4;
      } else high |= part << (shift - 32);
      if (byte >= 0x80) continue;
      this.#low = low;
      this.#high = high;
      return;
    }
    throw new Error("an integer has more than ten bytes");
  }
}
