/** Protobuf of large objects, in steps: what `protobuf.ts` does at once. */

import { sortSteps } from "../../base/sort-steps.ts";
import { Pace, type Steps } from "../../base/time-slice.ts";
import { checkBodySize, partsMax } from "../json/json-gate.ts";
import { isObject, type JsonObject, setOwn } from "../json/json-value.ts";
import { isSmall } from "../json/parts.ts";
import type { MapSchema, Schema, StructSchema } from "../schema/schema.ts";
import { decodeProtobuf, encodeProtobuf, ownFields, valueCodec } from "./protobuf.ts";
import { bytesType, Reader, tagBytes, WireWriter } from "./wire.ts";

/** A message of fewer bytes is read at once. */
const atOnceBytesMax = 16 * 1024;
/** A value of fewer parts is written at once. */
const atOncePartsMax = 200;
const firstGuessBytes = 64 * 1024;

/** The result of `decodeProtobuf`. */
export function* decodeProtobufSteps(schema: StructSchema, bytes: Uint8Array): Steps<JsonObject> {
  if (bytes.length <= atOnceBytesMax || !isPlainStruct(schema)) return decodeProtobuf(schema, bytes);
  checkBodySize(bytes);
  const object: JsonObject = {};
  yield* new MessageReader(new Reader(bytes, partsMax)).fields(schema, object);
  return object;
}

class MessageReader {
  readonly #reader: Reader;
  readonly #pace = new Pace();

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  *fields(schema: StructSchema, message: JsonObject): Steps<void> {
    const reader = this.#reader;
    const fields = ownFields(schema);
    const names = new Map([...fields].map(([name, { number }]) => [number, name]));
    while (reader.at < reader.end) {
      const { number, wireType } = reader.tag();
      const name = names.get(number);
      const codec = name === undefined ? undefined : fields.get(name);
      if (name === undefined || codec === undefined) reader.skip(wireType);
      else {
        const inner = schema.fields.get(name)?.schema;
        const isLarge = wireType === bytesType && reader.nextLength() > atOnceBytesMax;
        if (!isLarge || inner === undefined || !(yield* this.#large(inner, name, message)))
          codec.read(reader, wireType, message);
      }
      if (this.#pace.isDue) yield;
    }
  }

  /** One large occurrence of a field. False: it is of a type that is read at once. */
  *#large(schema: Schema, name: string, message: JsonObject): Steps<boolean> {
    const before = Object.hasOwn(message, name) ? message[name] : undefined;
    if (isPlainStruct(schema)) {
      setOwn(message, name, yield* this.#struct(schema, isObject(before) ? before : {}));
      return true;
    }
    if (schema.type === "list" && schema.wrapped !== true && isPlainStruct(schema.items)) {
      const items = Array.isArray(before) ? before : [];
      message[name] = items;
      this.#reader.count();
      items.push(yield* this.#struct(schema.items, {}));
      return true;
    }
    if (schema.type !== "map" || !isPlainStruct(schema.values)) return false;
    const members = isObject(before) ? before : {};
    message[name] = members;
    yield* this.#entry(schema.values, members);
    return true;
  }

  *#struct(schema: StructSchema, message: JsonObject): Steps<JsonObject> {
    const outer = this.#reader.enter();
    yield* this.fields(schema, message);
    this.#reader.leave(outer);
    return message;
  }

  /** A member of a map: its name at 1, its value at 2. */
  *#entry(schema: StructSchema, members: JsonObject): Steps<void> {
    const reader = this.#reader;
    const outer = reader.enter();
    let key = "";
    let value: JsonObject = {};
    while (reader.at < reader.end) {
      const { number, wireType } = reader.tag();
      if (number > 2) {
        reader.skip(wireType);
        continue;
      }
      reader.expect(wireType, bytesType);
      if (number === 1) key = reader.string();
      else value = yield* this.#struct(schema, {});
    }
    reader.leave(outer);
    setOwn(members, key, value);
  }
}

/** A struct without embedded messages, whose fields would be read into it. */
const isPlainStruct = (schema: Schema): schema is StructSchema =>
  schema.type === "struct" && schema.inline === undefined;

/** The result of `encodeProtobuf`. */
export function* encodeProtobufSteps(schema: StructSchema, object: Readonly<JsonObject>): Steps<Buffer> {
  if (!isPlainStruct(schema) || isSmall(object, atOncePartsMax)) return encodeProtobuf(schema, object);
  const writer = new WireWriter(firstGuessBytes);
  yield* writeFields(schema, object, writer, new Pace());
  return writer.take();
}

/** From the last field to the first, as `Writer` needs it. */
function* writeFields(
  schema: StructSchema,
  message: Readonly<JsonObject>,
  writer: WireWriter,
  pace: Pace,
): Steps<void> {
  const fields = [...ownFields(schema)].sort(([, a], [, b]) => b.number - a.number);
  for (const [name, codec] of fields) {
    const inner = schema.fields.get(name)?.schema;
    const value = message[name];
    const isLarge = inner !== undefined && typeof value === "object" && !isSmall(value, atOncePartsMax);
    if (!isLarge || !(yield* writeLarge(inner, codec.number, value, writer, pace))) codec.write(writer, message);
    if (pace.isDue) yield;
  }
}

/** False: it is of a type that is written at once. */
function* writeLarge(schema: Schema, number: number, value: unknown, writer: WireWriter, pace: Pace): Steps<boolean> {
  const tag = tagBytes(number, bytesType);
  if (isPlainStruct(schema) && isObject(value)) {
    yield* writeStruct(schema, value, tag, writer, pace);
    return true;
  }
  if (schema.type === "list" && schema.wrapped !== true && isPlainStruct(schema.items) && Array.isArray(value)) {
    for (let at = value.length - 1; at >= 0; at--) {
      const item: unknown = value[at];
      yield* writeStruct(schema.items, isObject(item) ? item : {}, tag, writer, pace);
    }
    return true;
  }
  if (schema.type !== "map" || !isObject(value)) return false;
  yield* writeMap(schema, value, tag, writer, pace);
  return true;
}

function* writeStruct(
  schema: StructSchema,
  value: JsonObject,
  tag: Uint8Array,
  writer: WireWriter,
  pace: Pace,
): Steps<void> {
  const before = writer.length;
  yield* writeFields(schema, value, writer, pace);
  writer.uint(writer.length - before);
  writer.tag(tag);
}

const keyTag = tagBytes(1, bytesType);

function* writeMap(
  { values }: MapSchema,
  members: JsonObject,
  tag: Uint8Array,
  writer: WireWriter,
  pace: Pace,
): Steps<void> {
  const codec = valueCodec(values);
  const valueTag = tagBytes(2, codec.wireType);
  const keys = yield* sortSteps(Object.keys(members));
  for (let at = keys.length - 1; at >= 0; at--) {
    const key = keys[at] as string; // in bounds
    const value = members[key];
    const before = writer.length;
    if (isPlainStruct(values) && isObject(value) && !isSmall(value, atOncePartsMax))
      yield* writeStruct(values, value, valueTag, writer, pace);
    else if (!(codec.nilIsAbsent === true && (value === undefined || value === null))) {
      codec.write(writer, value);
      writer.tag(valueTag);
    }
    writer.string(key);
    writer.tag(keyTag);
    writer.uint(writer.length - before);
    writer.tag(tag);
    if (pace.isDue) yield;
  }
}
