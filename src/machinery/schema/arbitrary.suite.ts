/** Objects of any schema, made up at random in the form that decoding gives them; for property tests. */

import fc from "fast-check";
import { decodeObject } from "./decode.ts";
import type { Field, Schema, StructSchema } from "./schema.ts";

/** Below so many structs and lists there is nothing: types that contain themselves end somewhere. */
const depthMax = 8;
const itemsMax = 2;

/** Unset members, zero values and empty lists are as likely as others. */
export function arbitraryObject(schema: StructSchema): fc.Arbitrary<Record<string, unknown>> {
  return structOf(schema, depthMax).map((value) => decodeObject(schema, value));
}

function structOf(schema: StructSchema, depth: number): fc.Arbitrary<Record<string, unknown>> {
  if (depth === 0) return fc.constant({});
  const members = [...schema.fields].map(([name, field]) => [name, memberOf(field, depth - 1)] as const);
  return fc.record(Object.fromEntries(members), { requiredKeys: [] }) as fc.Arbitrary<Record<string, unknown>>;
}

const memberOf = (field: Field, depth: number) => valueIn(field.schema, depth);

const text = fc.string({ maxLength: 6 });
const seconds = fc.integer({ min: 0, max: 2_000_000_000 });

function valueIn(schema: Schema, depth: number): fc.Arbitrary<unknown> {
  switch (schema.type) {
    case "string":
      return schema.enum === undefined ? text : fc.constantFrom(...schema.enum);
    case "int32":
      return fc.oneof(fc.nat({ max: 3 }), fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }));
    case "int64":
      return fc.oneof(fc.nat({ max: 3 }), fc.maxSafeInteger());
    case "uint32":
      return fc.integer({ min: 0, max: 2 ** 32 - 1 });
    case "bool":
      return fc.boolean();
    case "double":
      return fc.integer({ min: -1000, max: 1000 }).map((tenths) => tenths / 10);
    case "bytes":
      return fc.uint8Array({ maxLength: 6 }).map((bytes) => Buffer.from(bytes).toString("base64"));
    case "quantity":
      return fc.constantFrom("0", "1", "100m", "1500m", "2k", "100Mi", "-3");
    case "intOrString":
      return fc.oneof(fc.nat({ max: 70_000 }), text);
    case "time":
      return seconds.map((second) => `${new Date(second * 1000).toISOString().slice(0, 19)}Z`);
    case "microTime":
      return seconds.map((second) => `${new Date(second * 1000).toISOString().slice(0, 19)}.123456Z`);
    case "duration":
      return fc.constantFrom("0s", "1m0s", "1h0m0s");
    case "json":
      return fc.record({ a: fc.nat({ max: 9 }) });
    case "list":
      return depth === 0 ? fc.constant([]) : fc.array(valueIn(schema.items, depth - 1), { maxLength: itemsMax });
    case "map":
      return depth === 0
        ? fc.constant({})
        : fc.dictionary(text, valueIn(schema.values, depth - 1), { maxKeys: itemsMax });
    case "struct":
      return structOf(schema, depth);
  }
}
