/** The types of built-in kinds, as expressions see them. */

import { LazyMap } from "../../base/lazy-map.ts";
import type { Schema, StructSchema } from "../../machinery/schema/schema.ts";
import {
  bool,
  bytes,
  double,
  dyn,
  int,
  listOf,
  mapOf,
  objectType,
  string,
  type Type,
  timestamp,
} from "../types/types.ts";
import { JsonList, JsonMap, jsonValue } from "../values/json.ts";
import { parseTimestamp } from "../values/times.ts";
import { Bytes, EvaluationError, type Value } from "../values/values.ts";
import type { DeclaredField, DeclaredObject, DeclaredType } from "./declared-type.ts";
import { fieldNames, propertyNamed } from "./field-names.ts";
import { SchemaObject } from "./schema-values.ts";

/** Types say nothing about sizes: who uses them bounds what an evaluation costs. */
const unsized = { sizeMax: Number.MAX_SAFE_INTEGER, bytesMin: 0 };

const wrongType = new EvaluationError("the value does not have the type of its field");

const scalar = (type: Type, read: (json: unknown) => Value): DeclaredType => ({ ...unsized, type, read });

const text = scalar(string, (json) => (typeof json === "string" ? json : wrongType));
const any = scalar(dyn, (json) => jsonValue(json ?? null));
const whole = scalar(int, (json) => {
  if (typeof json === "bigint") return json;
  return typeof json === "number" && Number.isInteger(json) ? BigInt(json) : wrongType;
});
const fraction = scalar(double, (json) => (typeof json === "number" ? json : wrongType));
const truth = scalar(bool, (json) => (typeof json === "boolean" ? json : wrongType));
const moment = scalar(timestamp, (json) => (typeof json === "string" ? parseTimestamp(json) : wrongType));
const base64 = scalar(bytes, (json) => (typeof json === "string" ? new Bytes(Buffer.from(json, "base64")) : wrongType));

export function declaredStruct(schema: StructSchema): DeclaredObject {
  return known.get(schema) ?? declare(schema);
}

/** A schema may contain itself, and many contain the same ones. */
const known = new WeakMap<StructSchema, DeclaredObject>();

function declare(schema: StructSchema): DeclaredObject {
  const properties = new LazyMap<DeclaredType>(
    () => schema.fields.keys(),
    (name) => {
      const field = schema.fields.get(name);
      return field && declaredSchema(field.schema);
    },
  );
  const names = () => [...schema.fields.keys()].flatMap(fieldNames);
  const fields = new LazyMap<DeclaredField>(names, (name) => {
    const property = propertyNamed(name);
    const declared = property === undefined ? undefined : properties.get(property);
    return property === undefined || declared === undefined ? undefined : { property, declared };
  });
  const types = new LazyMap<Type>(names, (name) => fields.get(name)?.declared.type);
  const declared: DeclaredObject = {
    ...unsized,
    type: objectType(schema.name, types),
    fields,
    properties,
    read: (json) => (isObject(json) ? new SchemaObject(declared, json) : wrongType),
  };
  known.set(schema, declared);
  return declared;
}

const isObject = (json: unknown): json is object => typeof json === "object" && json !== null && !Array.isArray(json);

function declaredSchema(schema: Schema): DeclaredType {
  switch (schema.type) {
    case "struct":
      return declaredStruct(schema);
    case "list": {
      const item = declaredSchema(schema.items);
      const read = (json: unknown) => (Array.isArray(json) ? new JsonList(json, item.read) : wrongType);
      return { ...unsized, type: listOf(item.type), read, item };
    }
    case "map": {
      const item = declaredSchema(schema.values);
      const read = (json: unknown) => (isObject(json) ? new JsonMap(json, item.read, true) : wrongType);
      return { ...unsized, type: mapOf(string, item.type), read, item };
    }
    case "string":
    case "quantity":
    case "duration":
      return text;
    case "int32":
    case "int64":
    case "uint32":
      return whole;
    case "bool":
      return truth;
    case "double":
      return fraction;
    case "bytes":
      return base64;
    case "time":
    case "microTime":
      return moment;
    case "intOrString":
    case "json":
      return any;
  }
}
