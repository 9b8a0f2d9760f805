/**
 * Protobuf for any struct schema, directly from and to the JSON form, with the bytes that v1.21 sends: fields in
 * ascending order, values written even when zero and pointers only when given, map entries sorted by key.
 */

import { checkBodySize, partsMax } from "../json/json-gate.ts";
import { setOwn } from "../json/json-value.ts";
import type { Field as DeclaredField, JsonValueSchema, Schema, StructSchema } from "../schema/schema.ts";
import { type ScalarCodec, scalarCodec } from "./protobuf-scalar.ts";
import { bytesType, Reader, tagBytes, WireWriter } from "./wire.ts";

type Message = Readonly<Record<string, unknown>>;
type Decoded = Record<string, unknown>;

/** One field of a message. `write` puts tag and value, or nothing; `read` takes one occurrence of the field. */
interface FieldCodec {
  readonly number: number;
  write(writer: WireWriter, message: Message): void;
  read(reader: Reader, wireType: number, message: Decoded): void;
}

interface MessageCodec {
  write(writer: WireWriter, message: Message): void;
  /** Reads up to `reader.end` into `message`; repeated occurrences are added to it. */
  read(reader: Reader, message: Decoded): void;
}

const firstGuessBytes = 1024;

/** The message of an object, without the envelope. The object must be the result of `decodeObject`. */
export function encodeProtobuf(schema: StructSchema, object: Message): Buffer {
  const writer = new WireWriter(firstGuessBytes);
  messageCodec(schema).write(writer, object);
  return writer.take();
}

/** The JSON form of a message; what was not sent is absent, so `decodeObject` comes next. Unknown fields are skipped. */
export function decodeProtobuf(schema: StructSchema, bytes: Uint8Array): Decoded {
  checkBodySize(bytes);
  const object: Decoded = {};
  messageCodec(schema).read(new Reader(bytes, partsMax), object);
  return object;
}

const compiled = new WeakMap<StructSchema, MessageCodec>();

function messageCodec(schema: StructSchema): MessageCodec {
  let codec = compiled.get(schema);
  if (codec === undefined) {
    codec = compileStruct(schema);
    compiled.set(schema, codec);
  }
  return codec;
}

/** Compiled on first use, since a struct may contain itself. */
function compileStruct(schema: StructSchema): MessageCodec {
  let made: MessageCodec | undefined;
  const make = () => {
    const own: FieldCodec[] = [];
    const named = new Map<string, FieldCodec>();
    const embedded = new Map<string, FieldCodec[]>(Object.keys(schema.inline ?? {}).map((name) => [name, []]));
    for (const [name, field] of schema.fields) {
      if (field.number === 0) continue;
      const codec = fieldCodec(name, field.number, field.schema, isOnlyGiven(field));
      (field.inside === undefined ? own : (embedded.get(field.inside) ?? own)).push(codec);
      named.set(name, codec);
    }
    if (schema.inline === undefined && own.length >= sparseFieldsMin)
      return { ...compileMessage(own), write: sparseWrite(named) };
    // The innermost first: "outer.inner" is a field of "outer".
    for (const [name, number] of Object.entries(schema.inline ?? {}).reverse()) {
      const outer = embedded.get(name.slice(0, Math.max(name.lastIndexOf("."), 0))) ?? own;
      outer.push(embeddedField(number, compileMessage(embedded.get(name) ?? [])));
    }
    return compileMessage(own);
  };
  return {
    write(writer, message) {
      made ??= make();
      made.write(writer, message);
    },
    read(reader, message) {
      made ??= make();
      made.read(reader, message);
    },
  };
}

/** A message of fewer fields is written faster field by field. */
const sparseFieldsMin = 40;

/**
 * Writes a message of very many fields of which few are given. The bytes of the others, which are those of zero, are always the same
 * and are copied in one piece: a JSON schema has 43 fields, and one or two of them at each of thousands of properties.
 */
function sparseWrite(named: ReadonlyMap<string, FieldCodec>): MessageCodec["write"] {
  const fields = [...named.values()].sort((a, b) => a.number - b.number);
  const positions = new Map([...named].map(([name, field]) => [name, fields.indexOf(field)]));
  /** Where the zero of each field begins in `zeros`, and where the last one ends. */
  const starts: number[] = [0];
  const zeros: number[] = [];
  for (const field of fields) {
    const writer = new WireWriter(firstGuessBytes);
    field.write(writer, nothing);
    zeros.push(...writer.take());
    starts.push(zeros.length);
  }
  const bytes = Uint8Array.from(zeros);
  const startOf = (position: number) => starts[position] as number; // one for each position, and one more
  return (writer, message) => {
    const given: number[] = [];
    let isOrdered = true;
    for (const name in message) {
      const position = positions.get(name);
      if (position === undefined) continue;
      if (given.length > 0 && position < (given.at(-1) as number)) isOrdered = false;
      given.push(position);
    }
    if (!isOrdered) given.sort((a, b) => a - b);
    let end = bytes.length;
    for (let index = given.length - 1; index >= 0; index--) {
      const position = given[index] as number; // in bounds
      writer.part(bytes, startOf(position + 1), end);
      (fields[position] as FieldCodec).write(writer, message); // `given` has positions of this list
      end = startOf(position);
    }
    writer.part(bytes, 0, end);
  };
}

function compileMessage(fields: readonly FieldCodec[]): MessageCodec {
  const descending = [...fields].sort((a, b) => b.number - a.number);
  const byNumber: (FieldCodec | undefined)[] = [];
  for (const field of fields) byNumber[field.number] = field;
  return {
    write(writer, message) {
      for (const field of descending) field.write(writer, message);
    },
    read(reader, message) {
      reader.fields((number, wireType) => {
        const field = byNumber[number];
        field?.read(reader, wireType, message);
        return field !== undefined;
      });
    },
  };
}

/** A message that JSON shows flat: its fields are read from and written to the parent. */
function embeddedField(number: number, inner: MessageCodec): FieldCodec {
  const tag = tagBytes(number, bytesType);
  return {
    number,
    write(writer, message) {
      const before = writer.length;
      inner.write(writer, message);
      writer.uint(writer.length - before);
      writer.tag(tag);
    },
    read(reader, wireType, message) {
      reader.expect(wireType, bytesType);
      reader.message(() => inner.read(reader, message));
    },
  };
}

function fieldCodec(name: string, number: number, schema: Schema, onlyWhenGiven: boolean): FieldCodec {
  if (schema.type === "map") return mapField(name, number, schema.values);
  if (schema.type === "list" && schema.wrapped !== true) return listField(name, number, schema.items);
  return singleField(name, number, valueCodec(schema), onlyWhenGiven);
}

const isOnlyGiven = ({ presence, isSent }: DeclaredField): boolean =>
  !isSent && (presence === "optional" || presence === "nullable");

/** How the fields of a struct are encoded that are its own, not those of an embedded message. */
export function ownFields(schema: StructSchema): ReadonlyMap<string, FieldCodec> {
  let fields = fieldsOf.get(schema);
  if (fields === undefined) {
    fields = new Map(
      [...schema.fields]
        .filter(([, { number, inside }]) => number > 0 && inside === undefined)
        .map(([name, field]) => [name, fieldCodec(name, field.number, field.schema, isOnlyGiven(field))]),
    );
    fieldsOf.set(schema, fields);
  }
  return fields;
}

const fieldsOf = new WeakMap<StructSchema, ReadonlyMap<string, FieldCodec>>();

export function valueCodec(schema: Schema): ScalarCodec {
  switch (schema.type) {
    case "struct":
      return structCodec(messageCodec(schema));
    case "list":
      return wrappedCodec(listField("items", 1, schema.items));
    case "map":
      throw new Error("protobuf has no maps in lists or maps");
    case "json":
      return schema.inner === undefined ? scalarCodec(schema) : choiceCodec(schema.form, schema.inner);
    default:
      return scalarCodec(schema);
  }
}

function structCodec(message: MessageCodec): ScalarCodec {
  return {
    wireType: bytesType,
    write(writer, value) {
      const before = writer.length;
      message.write(writer, (value ?? nothing) as Message); // decodeObject has made an object of it
      writer.uint(writer.length - before);
    },
    read(reader, before) {
      const object = (before ?? {}) as Decoded; // made here, by an earlier occurrence
      reader.message(() => message.read(reader, object));
      return object;
    },
    zero: () => ({}),
  };
}

/** A list that is a separate message. */
function wrappedCodec(items: FieldCodec): ScalarCodec {
  const message = structCodec(compileMessage([items]));
  return {
    wireType: bytesType,
    write: (writer, value) => message.write(writer, { items: value }),
    read: (reader, before) => (message.read(reader, { items: before }) as { items?: unknown[] }).items ?? [],
    zero: () => [],
  };
}

/**
 * A message with one field for the object and one for its alternative. True and false come first, and are
 * written in any case: an object stands for true.
 */
function choiceCodec(form: JsonValueSchema["form"], inner: StructSchema): ScalarCodec {
  const [object, other]: [Field, Field] =
    form === "orBool"
      ? [
          { number: 2, schema: inner },
          { number: 1, schema: { type: "bool" } },
        ]
      : [
          { number: 1, schema: inner },
          { number: 2, schema: { type: "list", items: form === "orList" ? inner : { type: "string" } } },
        ];
  const message = structCodec(
    compileMessage([
      fieldCodec("object", object.number, object.schema, true),
      fieldCodec("other", other.number, other.schema, form !== "orBool"),
    ]),
  );
  return {
    wireType: bytesType,
    write(writer, value) {
      const isOther = typeof value === "boolean" || Array.isArray(value);
      message.write(writer, isOther ? { other: value } : { object: value, other: true });
    },
    read(reader) {
      const read = message.read(reader, undefined) as { object?: unknown; other?: unknown };
      return read.object ?? read.other ?? (form === "orBool" ? false : null);
    },
    zero: () => null,
  };
}

interface Field {
  readonly number: number;
  readonly schema: Schema;
}

const nothing: Message = Object.freeze({});

function singleField(name: string, number: number, codec: ScalarCodec, onlyWhenGiven: boolean): FieldCodec {
  const tag = tagBytes(number, codec.wireType);
  return {
    number,
    write(writer, message) {
      const value = message[name];
      if ((value === undefined || value === null) && (onlyWhenGiven || codec.nilIsAbsent === true)) return;
      codec.write(writer, value);
      writer.tag(tag);
    },
    read(reader, wireType, message) {
      reader.expect(wireType, codec.wireType);
      message[name] = codec.read(reader, message[name]);
    },
  };
}

function listField(name: string, number: number, itemSchema: Schema): FieldCodec {
  const codec = valueCodec(itemSchema);
  const tag = tagBytes(number, codec.wireType);
  return {
    number,
    write(writer, message) {
      const items = message[name];
      if (!Array.isArray(items)) return;
      for (let index = items.length - 1; index >= 0; index--) {
        codec.write(writer, items[index]);
        writer.tag(tag);
      }
    },
    read(reader, wireType, message) {
      const items = (message[name] ?? []) as unknown[]; // made here, by an earlier occurrence
      message[name] = items;
      const add = () => {
        reader.count();
        items.push(codec.read(reader, undefined));
      };
      if (wireType === bytesType && codec.wireType !== bytesType) {
        // Other encoders write numbers as one packed field.
        reader.message(() => {
          while (reader.at < reader.end) add();
        });
      } else {
        reader.expect(wireType, codec.wireType);
        add();
      }
    },
  };
}

function mapField(name: string, number: number, valueSchema: Schema): FieldCodec {
  const codec = valueCodec(valueSchema);
  const tag = tagBytes(number, bytesType);
  const keyTag = tagBytes(1, bytesType);
  const valueTag = tagBytes(2, codec.wireType);
  return {
    number,
    write(writer, message) {
      const map = message[name];
      if (typeof map !== "object" || map === null) return;
      const keys = Object.keys(map).sort();
      for (let index = keys.length - 1; index >= 0; index--) {
        const key = keys[index] as string; // in bounds
        const value = (map as Message)[key]; // an object, and `key` is one of its own
        const before = writer.length;
        if (!(codec.nilIsAbsent === true && (value === undefined || value === null))) {
          codec.write(writer, value);
          writer.tag(valueTag);
        }
        writer.string(key);
        writer.tag(keyTag);
        writer.uint(writer.length - before);
        writer.tag(tag);
      }
    },
    read(reader, wireType, message) {
      reader.expect(wireType, bytesType);
      const map = (message[name] ?? {}) as Decoded; // made here, by an earlier occurrence
      message[name] = map;
      reader.message(() => {
        let key = "";
        let value = codec.zero();
        reader.fields((entryNumber, entryType) => {
          if (entryNumber > 2) return false;
          reader.expect(entryType, entryNumber === 1 ? bytesType : codec.wireType);
          if (entryNumber === 1) key = reader.string();
          else value = codec.read(reader, undefined);
          return true;
        });
        setOwn(map, key, value);
      });
    },
  };
}
