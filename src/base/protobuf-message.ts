/** Protocol buffers on the wire, as far as etcd's messages need them: integers, bytes and nested messages. */

const varintType = 0;
const fixed64Type = 1;
const bytesType = 2;
const fixed32Type = 5;

/** Collects the fields of one message. Zero, empty and false are omitted, as in proto3. */
export class MessageWriter {
  readonly #parts: Uint8Array[] = [];

  int(field: number, value: bigint | number): this {
    return BigInt(value) === 0n ? this : this.chosenInt(field, value);
  }

  /** As `int`, but zero is written too: in a choice of several fields it says which one was chosen. */
  chosenInt(field: number, value: bigint | number): this {
    return this.#raw(varint(BigInt(field * 8 + varintType)), varint(BigInt.asUintN(64, BigInt(value))));
  }

  bool(field: number, value: boolean): this {
    return this.int(field, value ? 1 : 0);
  }

  bytes(field: number, value: Uint8Array): this {
    return value.byteLength === 0 ? this : this.#delimited(field, value);
  }

  text(field: number, value: string): this {
    return this.bytes(field, Buffer.from(value));
  }

  /** An empty message is written too: its presence alone can carry meaning. */
  message(field: number, value: MessageWriter): this {
    return this.#delimited(field, value.finish());
  }

  messages(field: number, values: readonly MessageWriter[]): this {
    for (const value of values) this.message(field, value);
    return this;
  }

  finish(): Buffer {
    return Buffer.concat(this.#parts);
  }

  #delimited(field: number, value: Uint8Array): this {
    return this.#raw(varint(BigInt(field * 8 + bytesType)), varint(BigInt(value.byteLength)), value);
  }

  #raw(...parts: Uint8Array[]): this {
    this.#parts.push(...parts);
    return this;
  }
}

function varint(value: bigint): Uint8Array {
  const out: number[] = [];
  let rest = value;
  while (rest > 0x7fn) {
    out.push(Number(rest & 0x7fn) | 0x80);
    rest >>= 7n;
  }
  out.push(Number(rest));
  return Uint8Array.from(out);
}

/** One field as read: an integer, or bytes that are text, bytes or a message, whichever the reader knows. */
export interface MessageField {
  readonly number: number;
  readonly int: bigint;
  readonly bytes: Buffer;
}

const noBytes = Buffer.alloc(0);

/** The fields of a message in the order in which they came; etcd does not use fields of a fixed width, so they are skipped. */
export function* readFields(message: Buffer): Generator<MessageField> {
  let at = 0;
  const readVarint = (): bigint => {
    let low = 0;
    let high = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = message[at];
      if (byte === undefined) throw new Error("the message is cut off");
      at += 1;
      const part = byte & 0x7f;
      if (shift < 28) low |= part << shift;
      else if (shift === 28) {
        low |= part << 28;
        high |= part >> 4;
      } else high |= part << (shift - 32);
      if (byte < 0x80)
        return high === 0 ? BigInt(low >>> 0) : BigInt.asIntN(64, (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0));
    }
    throw new Error("an integer has more than ten bytes");
  };
  while (at < message.length) {
    const tag = Number(readVarint());
    const number = Math.floor(tag / 8);
    switch (tag % 8) {
      case varintType:
        yield { number, int: readVarint(), bytes: noBytes };
        break;
      case bytesType: {
        const length = Number(readVarint());
        if (length > message.length - at) throw new Error("the message is cut off");
        yield { number, int: 0n, bytes: message.subarray(at, at + length) };
        at += length;
        break;
      }
      case fixed64Type:
        at += 8;
        break;
      case fixed32Type:
        at += 4;
        break;
      default:
        throw new Error(`the message has a field of unknown type ${tag % 8}`);
    }
  }
}
