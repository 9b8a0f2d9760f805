/** How single values are encoded in protobuf: numbers and texts directly, times, quantities and the like as messages. */

import { formatDuration, parseDuration } from "../../base/duration.ts";
import { printRaw } from "../json/go-json.ts";
import { decodeJson } from "../json/json.ts";
import type { JsonValueSchema, PlainSchema } from "../schema/schema.ts";
import { formatMicroTime, formatTime, parseInstant } from "../values/time.ts";
import { bytesType, fixed64Type, malformed, type Reader, tagBytes, varintType, type WireWriter } from "./wire.ts";

export interface ScalarCodec {
  readonly wireType: number;
  /** Writes a value with its length, if it has one. Undefined and null are the zero value. */
  write(writer: WireWriter, value: unknown): void;
  /** Reads a value; `before` is the value of an earlier occurrence of the same field. */
  read(reader: Reader, before: unknown): unknown;
  /** What a map entry without a value holds. */
  zero(): unknown;
  /** Bytes are like pointers: nil is not written although empty is. */
  readonly nilIsAbsent?: boolean;
}

type ScalarSchema = PlainSchema | JsonValueSchema;

export function scalarCodec(schema: ScalarSchema): ScalarCodec {
  return codecs[schema.type];
}

// Values to write have been through decodeObject, so each has the type of its schema; the casts below rely on it.
const integer = (read: (reader: Reader) => number | bigint): ScalarCodec => ({
  wireType: varintType,
  write: (writer, value) => writer.int((value ?? 0) as number | bigint),
  read,
  zero: () => 0,
});

const codecs: { readonly [T in ScalarSchema["type"]]: ScalarCodec } = {
  string: {
    wireType: bytesType,
    write: (writer, value) => writer.string((value ?? "") as string),
    read: (reader) => reader.string(),
    zero: () => "",
  },
  bytes: {
    wireType: bytesType,
    write: (writer, value) => writer.base64((value ?? "") as string),
    read: (reader) => reader.base64(),
    zero: () => "",
    nilIsAbsent: true,
  },
  bool: {
    wireType: varintType,
    write: (writer, value) => writer.uint(value === true ? 1 : 0),
    read: (reader) => reader.uint() !== 0,
    zero: () => false,
  },
  int32: integer((reader) => reader.int32()),
  int64: integer((reader) => reader.int64()),
  uint32: integer((reader) => reader.uint32()),
  double: {
    wireType: fixed64Type,
    write: (writer, value) => writer.double((value ?? 0) as number),
    read: (reader) => reader.double(),
    zero: () => 0,
  },
  time: instantCodec(formatTime, false),
  microTime: instantCodec(formatMicroTime, true),
  duration: messageOf({
    write(writer, value) {
      const nanos = parseDuration((value ?? "0") as string) ?? 0n;
      writer.int(nanos);
      writer.tag(firstInteger);
    },
    read(reader) {
      let nanos: number | bigint = 0;
      readNumbered(reader, { 1: () => (nanos = reader.int64()) }, varintType);
      return formatDuration(BigInt(nanos));
    },
    zero: "0s",
  }),
  quantity: messageOf({
    write(writer, value) {
      writer.string((value ?? "0") as string);
      writer.tag(firstBytes);
    },
    read(reader) {
      let text = "0";
      readNumbered(reader, { 1: () => (text = reader.string()) }, bytesType);
      return text;
    },
    zero: "0",
  }),
  intOrString: messageOf({
    write(writer, value) {
      const isText = typeof value === "string";
      writer.string(isText ? value : "");
      writer.tag(thirdBytes);
      writer.int(isText ? 0 : ((value ?? 0) as number));
      writer.tag(secondInteger);
      writer.uint(isText ? 1 : 0);
      writer.tag(firstInteger);
    },
    read(reader) {
      let isText = false;
      let number = 0;
      let text = "";
      reader.fields((field, wireType) => {
        if (field > 3) return false;
        reader.expect(wireType, field === 3 ? bytesType : varintType);
        if (field === 1) isText = reader.int64() === 1;
        else if (field === 2) number = reader.int32();
        else text = reader.string();
        return true;
      });
      return isText ? text : number;
    },
    zero: 0,
  }),
  json: messageOf({
    write(writer, value) {
      if (value === undefined || value === null) return;
      const bytes = Buffer.from(printRaw(value));
      writer.raw(bytes);
      writer.uint(bytes.length);
      writer.tag(firstBytes);
    },
    read(reader) {
      let bytes: Uint8Array | undefined;
      readNumbered(reader, { 1: () => (bytes = reader.bytes()) }, bytesType);
      return bytes === undefined || bytes.length === 0 ? null : decodeJson(bytes);
    },
    zero: null,
  }),
};

const firstInteger = tagBytes(1, varintType);
const secondInteger = tagBytes(2, varintType);
const firstBytes = tagBytes(1, bytesType);
const thirdBytes = tagBytes(3, bytesType);

interface MessageBody {
  /** Writes the fields of the message, last first. */
  write(writer: WireWriter, value: unknown): void;
  read(reader: Reader): unknown;
  readonly zero: unknown;
}

function messageOf({ write, read, zero }: MessageBody): ScalarCodec {
  return {
    wireType: bytesType,
    write(writer, value) {
      const before = writer.length;
      write(writer, value);
      writer.uint(writer.length - before);
    },
    read: (reader) => reader.message(read),
    zero: () => zero,
  };
}

/** Seconds and nanoseconds; the zero time is an empty message. Times to the second are sent without nanoseconds. */
function instantCodec(
  format: (seconds: number, nanos: number) => string | null | undefined,
  withNanos: boolean,
): ScalarCodec {
  return messageOf({
    write(writer, value) {
      const instant = typeof value === "string" ? parseInstant(value) : undefined;
      if (instant === undefined) return;
      writer.uint(withNanos ? instant.nanos : 0);
      writer.tag(secondInteger);
      writer.int(instant.seconds);
      writer.tag(firstInteger);
    },
    read(reader) {
      if (reader.at === reader.end) return null;
      let seconds: number | bigint = 0;
      let nanos = 0;
      readNumbered(reader, { 1: () => (seconds = reader.int64()), 2: () => (nanos = reader.int32()) }, varintType);
      const inRange = nanos >= 0 && nanos < 1e9;
      const text = inRange ? format(Number(seconds), withNanos ? nanos : 0) : undefined;
      if (text === undefined) throw malformed("a time is out of range");
      return text;
    },
    zero: null,
  });
}

/** Reads fields that all have one wire type. */
function readNumbered(reader: Reader, readers: Readonly<Record<number, () => void>>, wanted: number): void {
  reader.fields((number, wireType) => {
    const read = Object.hasOwn(readers, number) ? readers[number] : undefined;
    if (read === undefined) return false;
    reader.expect(wireType, wanted);
    read();
    return true;
  });
}
