/** The types that JSON schemas of definitions declare. */

import { LazyMap } from "../../base/lazy-map.ts";
import {
  additionalSchema,
  extensions,
  itemSchema,
  type JsonSchema,
  propertyOf,
  type SchemaExtensions,
} from "../../machinery/json/json-schema.ts";
import { requestBytesMax } from "../limits.ts";
import {
  bool,
  bytes,
  double,
  duration,
  dyn,
  int,
  listOf,
  mapOf,
  objectType,
  string,
  type Type,
  timestamp,
} from "../types/types.ts";
import { JsonMap } from "../values/json.ts";
import { parseDurationText, parseTimestamp } from "../values/times.ts";
import { Bytes, EvaluationError, type Value } from "../values/values.ts";
import type { DeclaredField, DeclaredObject, DeclaredType } from "./declared-type.ts";
import { fieldNames, propertyNamed } from "./field-names.ts";
import { SchemaList, SchemaObject } from "./schema-values.ts";

interface SchemaOptions {
  /** The prefix of extensions: "x-orch-". */
  readonly prefix: string;
  /** A whole object: apiVersion, kind and the names in metadata are always there. */
  readonly isResource: boolean;
  /** The name of an object type; types within it have names that begin with it. Types of the same name are the same. */
  readonly name: string;
  /** What bounds the length of texts in estimates, beside maxLength of plain texts. Default: all of it. */
  readonly bounds?: LengthBounds;
}

interface LengthBounds {
  /** The values of an enum. */
  readonly byEnums: boolean;
  /** maxLength of what is an integer or a text. */
  readonly ofIntOrStrings: boolean;
}
const allBounds: LengthBounds = { byEnums: true, ofIntOrStrings: true };

/** Undefined: values of the schema are invisible to expressions, as it does not say what they are. */
export function schemaType(
  schema: JsonSchema,
  { prefix, isResource, name, bounds = allBounds }: SchemaOptions,
): DeclaredType | undefined {
  const known = extensions(schema, prefix);
  const nullable = schema.nullable === true;
  if (known.intOrString) return withNull(intOrString(schema, bounds), nullable);
  const inner = (child: JsonSchema, step: string) =>
    schemaType(child, {
      prefix,
      isResource: extensions(child, prefix).embeddedResource,
      name: `${name}.${step}`,
      bounds,
    });
  switch (schema.type) {
    case "array": {
      const items = itemSchema(schema);
      const item = items && inner(items, "@idx");
      return item && withNull(listType(schema, known, item), nullable);
    }
    case "object": {
      const more = additionalSchema(schema);
      if (more !== undefined) {
        const value = inner(more, "@elem");
        return value && withNull(mapType(schema, value), nullable);
      }
      return objectOf(isResource ? withResourceMembers(schema) : schema, { name, nullable, inner });
    }
    case "string":
      return withNull(stringType(schema, bounds), nullable);
    case "boolean":
      return withNull(
        scalar(bool, 4, (json) => (typeof json === "boolean" ? json : wrongType)),
        nullable,
      );
    case "number":
      return withNull(scalar(double, 1, readDouble), nullable);
    case "integer":
      return withNull(scalar(int, 1, readInt), nullable);
    default:
      return undefined;
  }
}

const wrongType = new EvaluationError("invalid data, the value does not have the type of its schema");
const unexpectedNull = new EvaluationError("invalid data, got null for schema with nullable=false");

/** Null is a value only where the schema allows it. */
function withNull<T extends DeclaredType>(declared: T, nullable: boolean): T {
  const nothing = nullable ? null : unexpectedNull;
  return { ...declared, read: (json) => (json === null || json === undefined ? nothing : declared.read(json)) };
}

const scalar = (type: Type, bytesMin: number, read: (json: unknown) => Value, sizeMax = 0): DeclaredType => ({
  type,
  sizeMax,
  bytesMin,
  read,
});

function readInt(json: unknown): Value {
  if (typeof json === "bigint") return json;
  return typeof json === "number" && Number.isInteger(json) ? BigInt(json) : wrongType;
}

const readDouble = (json: unknown): Value =>
  typeof json === "number" ? json : typeof json === "bigint" ? Number(json) : wrongType;

/** Any text that fits into a request, without its quotes. */
const textMax = requestBytesMax - 2;

function intOrString(schema: JsonSchema, { ofIntOrStrings }: LengthBounds): DeclaredType {
  const read = (json: unknown) => (typeof json === "string" ? json : readInt(json));
  return scalar(
    dyn,
    1,
    read,
    schema.maxLength === undefined || !ofIntOrStrings ? textMax : lengthMax(schema.maxLength) * 4,
  );
}

/** A limit of 2^53 or more is kept exactly, as a bigint. */
const lengthMax = (given: number | bigint): number => Math.max(Number(given), 0);

/** `sizeMax` of times and durations are those of their longest texts, with quotes. */
function stringType(schema: JsonSchema, bounds: LengthBounds): DeclaredType {
  const readWith = (parse: (text: string) => Value) => (json: unknown) =>
    typeof json === "string" ? parse(json) : wrongType;
  switch (schema.format) {
    case "byte": {
      const max = schema.maxLength === undefined ? textMax : lengthMax(schema.maxLength);
      return scalar(bytes, 2, readWith(fromBase64), max);
    }
    case "duration":
      return scalar(duration, 3, readWith(parseDurationText), 32);
    case "date":
      return scalar(
        timestamp,
        12,
        readWith((text) => parseTimestamp(`${text}T00:00:00Z`)),
        12,
      );
    case "date-time":
      return scalar(timestamp, 21, readWith(parseTimestamp), 32);
    default:
      return scalar(string, 2, (json) => (typeof json === "string" ? json : wrongType), textSizeMax(schema, bounds));
  }
}

/** Characters may have four bytes each; values of an enum are as long as they are. */
function textSizeMax({ maxLength, enum: values }: JsonSchema, { byEnums }: LengthBounds): number {
  if (maxLength !== undefined) return lengthMax(maxLength) * 4;
  if (!byEnums || values === undefined || values.length === 0) return textMax;
  return Math.max(...values.map((value) => (typeof value === "string" ? Buffer.byteLength(value) : 0)));
}

const fromBase64 = (text: string): Value =>
  /^[A-Za-z0-9+/]*={0,2}$/.test(text) && text.length % 4 === 0 ? new Bytes(Buffer.from(text, "base64")) : wrongType;

/** How many parts of so many bytes fit into a request. */
const fitting = (bytes: number): number => Math.floor((requestBytesMax - 2) / bytes);

function listType(schema: JsonSchema, known: SchemaExtensions, item: DeclaredType): DeclaredType {
  const keys = known.listType === "map" ? known.listMapKeys : [];
  const equality = known.listType === "set" || known.listType === "map" ? known.listType : "order";
  return {
    type: listOf(item.type),
    sizeMax: schema.maxItems === undefined ? fitting(item.bytesMin + 1) : lengthMax(schema.maxItems),
    bytesMin: 2,
    read: (json) => (Array.isArray(json) ? new SchemaList(json, item, equality, keys) : wrongType),
    item,
  };
}

function mapType(schema: JsonSchema, item: DeclaredType): DeclaredType {
  // Two bytes of a name, its quotes, a colon and a comma.
  const sizeMax = schema.maxProperties === undefined ? fitting(item.bytesMin + 6) : lengthMax(schema.maxProperties);
  return {
    type: mapOf(string, item.type),
    sizeMax,
    bytesMin: 2,
    read: (json) => (isObject(json) ? new JsonMap(json, item.read, true) : wrongType),
    item,
  };
}

const isObject = (json: unknown): json is object => typeof json === "object" && json !== null && !Array.isArray(json);

/** Its fields are typed when an expression reaches them: a schema may have tens of thousands, at every level a rule. */
function objectOf(schema: JsonSchema, { name, nullable, inner }: ObjectOptions): DeclaredObject {
  const properties = new LazyMap(
    () => Object.keys(schema.properties ?? {}),
    (property) => {
      const child = propertyOf(schema, property);
      return child && inner(child, property);
    },
  );
  const names = () => Object.keys(schema.properties ?? {}).flatMap(fieldNames);
  const fields = new LazyMap<DeclaredField>(names, (field) => {
    const property = propertyNamed(field);
    const declared = property === undefined ? undefined : properties.get(property);
    return property === undefined || declared === undefined ? undefined : { property, declared };
  });
  const types = new LazyMap<Type>(names, (field) => fields.get(field)?.declared.type);
  const nothing = nullable ? null : unexpectedNull;
  const declared: DeclaredObject = {
    type: objectType(name, types),
    sizeMax: 0,
    get bytesMin() {
      return objectBytesMin(schema, properties);
    },
    fields,
    properties,
    read(json) {
      if (json === null || json === undefined) return nothing;
      return isObject(json) ? new SchemaObject(declared, json) : wrongType;
    },
  };
  return declared;
}

interface ObjectOptions {
  readonly name: string;
  readonly nullable: boolean;
  readonly inner: (child: JsonSchema, step: string) => DeclaredType | undefined;
}

/** Defaults are filled in by the server, so that a request need not have them. */
function objectBytesMin(schema: JsonSchema, properties: ReadonlyMap<string, DeclaredType>): number {
  let bytes = 2;
  for (const property of new Set(schema.required)) {
    const declared = properties.get(property);
    if (declared !== undefined && (propertyOf(schema, property)?.default ?? undefined) === undefined)
      bytes += Buffer.byteLength(property) + declared.bytesMin + 4;
  }
  return bytes;
}

const text: JsonSchema = { type: "string" };

/** What every whole object has. A schema with all of it says itself what else is in the metadata. */
function withResourceMembers(schema: JsonSchema): JsonSchema {
  const { kind, apiVersion, metadata: given } = schema.properties ?? {};
  const { name, generateName } = given?.properties ?? {};
  const texts = [kind, apiVersion, name, generateName];
  if (given?.type === "object" && texts.every((each) => each?.type === "string")) return schema;
  const metadata: JsonSchema = { type: "object", properties: { name: text, generateName: text } };
  return { ...schema, properties: { ...schema.properties, kind: text, apiVersion: text, metadata } };
}
