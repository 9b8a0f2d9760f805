/** Makes objects from a schema: one in which every field is set, or random ones that a seed reproduces. */

import fc from "fast-check";
import { copyJson, setOwn } from "../json/json-value.ts";
import { timeText } from "../values/time.ts";
import { decodeObject } from "./decode.ts";
import type { Field, JsonValueSchema, Schema, StructSchema } from "./schema.ts";

/** Where values come from. */
export interface Source {
  /** A whole number from 0 up to but not including `limit`. */
  below(limit: number): number;
}

/** Gives equal numbers for equal seeds (mulberry32). */
export function seededSource(seed: number): Source {
  let state = seed >>> 0;
  return {
    below(limit) {
      state = (state + 0x6d2b79f5) >>> 0;
      let mixed = Math.imul(state ^ (state >>> 15), state | 1);
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
      return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
    },
  };
}

/**
 * Every field that all forms have is set, with values that name their field; a struct is not repeated inside itself.
 */
export function fullObject(schema: StructSchema): Record<string, unknown> {
  return structValue(schema, new FullWriter(), []);
}

/** Some fields are set, with values of their types, sometimes boundary values. */
export function arbitraryObject(schema: StructSchema, source: Source): Record<string, unknown> {
  return structValue(schema, new RandomWriter(source), []);
}

/** Objects for property tests, in the form that decoding gives them; a failure prints the seed in its counterexample. */
export function arbitraryObjects(schema: StructSchema): fc.Arbitrary<Record<string, unknown>> {
  return fc.integer().map((seed) => decodeObject(schema, arbitraryObject(schema, seededSource(seed))));
}

/** The choices in which the two ways of making an object differ. */
interface Writer {
  isSet(field: Field): boolean;
  /** How many items a list or map has. */
  count(items: Schema): number;
  key(name: string, index: number): string;
  scalar(schema: Exclude<Schema, StructSchema | { type: "list" | "map" }>, name: string): unknown;
  /** Which side of a choice: the object, or its alternative. */
  prefersObject(): boolean;
}

/** Below this depth only required fields are set. */
const depthMax = 12;

function structValue(schema: StructSchema, writer: Writer, around: readonly StructSchema[]): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  if (around.includes(schema) || around.length > depthMax) return object;
  for (const [name, field] of schema.fields) {
    if (!writer.isSet(field)) continue;
    const value = valueFor(field.schema, name, writer, [...around, schema]);
    if (value !== undefined) setOwn(object, name, value);
  }
  return object;
}

function valueFor(schema: Schema, name: string, writer: Writer, around: readonly StructSchema[]): unknown {
  switch (schema.type) {
    case "struct":
      return around.includes(schema) ? undefined : structValue(schema, writer, around);
    case "list": {
      const items = Array.from({ length: writer.count(schema.items) }, (_, index) =>
        valueFor(schema.items, `${name}-${index + 1}`, writer, around),
      );
      return items.filter((item) => item !== undefined);
    }
    case "map": {
      const entries: Record<string, unknown> = {};
      const length = writer.count(schema.values);
      for (let index = 0; index < length; index++) {
        const value = valueFor(schema.values, `${name}-${index + 1}`, writer, around);
        if (value !== undefined) setOwn(entries, writer.key(name, index), value);
      }
      return entries;
    }
    case "json":
      return schema.inner === undefined
        ? writer.scalar(schema, name)
        : choiceValue(schema, schema.inner, name, writer, around);
    default:
      return writer.scalar(schema, name);
  }
}

function choiceValue(
  { form }: JsonValueSchema,
  inner: StructSchema,
  name: string,
  writer: Writer,
  around: readonly StructSchema[],
): unknown {
  const object = around.includes(inner) ? undefined : structValue(inner, writer, around);
  if (object !== undefined && writer.prefersObject()) return object;
  if (form === "orBool") return true;
  if (form === "orTexts") return [`${name}-1`];
  return object === undefined ? undefined : [object];
}

/** Values follow from the name of their field, so that a reader of a golden file sees where each belongs. */
class FullWriter implements Writer {
  #numbers = 0;

  isSet({ number }: Field): boolean {
    return number !== 0; // protobuf would lose it
  }
  /** One of each struct is enough to see all of its fields. */
  count(items: Schema): number {
    return items.type === "struct" ? 1 : 2;
  }
  key(name: string, index: number): string {
    return `${name}-key-${index + 1}`;
  }
  prefersObject(): boolean {
    return true;
  }
  scalar(schema: { readonly type: string; readonly form?: string }, name: string) {
    switch (schema.type) {
      case "string":
        return name;
      case "bool":
        return true;
      case "double":
        return this.#next() + 0.5;
      case "bytes":
        return Buffer.from(name).toString("base64");
      case "quantity":
        return `${this.#next()}Gi`;
      case "intOrString":
        return this.#next() % 2 === 0 ? this.#numbers : `${this.#numbers}%`;
      case "time":
        return timeText(Date.UTC(2021, 0, 1) + this.#next() * 1000);
      case "microTime":
        return `2021-01-01T00:00:00.${String(this.#next()).padStart(6, "0")}Z`;
      case "duration":
        return `1m${this.#next() % 60}s`;
      case "json":
        return schema.form === "fields" ? { "f:spec": { [`f:${name}`]: {} } } : { [name]: [this.#next(), true, null] };
      default:
        return this.#next();
    }
  }
  #next(): number {
    this.#numbers++;
    return this.#numbers;
  }
}

const texts = [
  "",
  "a",
  "web-1",
  "example.com/name",
  "*",
  "10.0.0.1",
  "2001:db8::1",
  "http",
  "TCP",
  "Always",
  "None",
  "ClusterIP",
  "not a name!",
  "x".repeat(64),
  "äöü 漢字 😀",
  "line\nbreak\t\u0001",
  "__proto__",
  "constructor",
  "true",
  "null",
  "1e3",
  "0x10",
  "- dash: yes",
  "#comment",
];
const quantities = ["0", "1", "100m", "1Gi", "1500Mi", "0.5", "12e6", "-3", "1n", "9223372036854775807"];
const durations = ["0s", "1s", "1h2m3s", "1.5ms", "100ns"];
const jsonValues = [1, 0.5, "text", true, null, [], {}, [1, [2]], { a: { b: [null] } }, { ["__proto__"]: 1 }];

class RandomWriter implements Writer {
  readonly #source: Source;

  constructor(source: Source) {
    this.#source = source;
  }
  isSet({ presence }: Field): boolean {
    return this.#source.below(10) < (presence === "required" ? 9 : 5);
  }
  count(): number {
    return this.#one([0, 1, 1, 2, 3]);
  }
  key(name: string, index: number): string {
    return this.#source.below(4) === 0 ? this.#one(texts) : `${name}-${index}`;
  }
  prefersObject(): boolean {
    return this.#source.below(2) === 0;
  }
  scalar(schema: { readonly type: string; readonly form?: string }): unknown {
    switch (schema.type) {
      case "string":
        return this.#one(texts);
      case "bool":
        return this.#source.below(2) === 0;
      case "int32":
        return this.#one([0, 1, -1, 80, 65536, 2 ** 31 - 1, -(2 ** 31)]);
      case "uint32":
        return this.#one([0, 1, 80, 2 ** 32 - 1]);
      case "int64":
        return this.#one([0, 1, -1, 600, 2 ** 53 - 1, 2n ** 63n - 1n, -(2n ** 63n)]);
      case "double":
        return this.#one([0, 1, -0.5, 1e300, 5e-324]);
      case "bytes":
        return Buffer.from(this.#one(texts)).toString("base64");
      case "quantity":
        return this.#one(quantities);
      case "intOrString":
        return this.#one<unknown>([0, 80, -1, 2 ** 31 - 1, "http", "25%", ""]);
      case "time":
        return this.#source.below(8) === 0 ? null : timeText(this.#source.below(4_000_000_000) * 1000);
      case "microTime":
        return this.#one([null, "2021-05-01T10:00:00.000001Z", "1970-01-01T00:00:00.000000Z"]);
      case "duration":
        return this.#one(durations);
      case "json":
        return this.#json(schema.form);
      default:
        throw new Error(`there is no generator for the type ${schema.type}`);
    }
  }
  #json(form: string | undefined): unknown {
    if (form === "fields") return this.#one([{}, { "f:spec": { "f:a": {} } }]);
    return form === "raw" ? this.#one([{}, { a: 1 }, { kind: "A", spec: { b: [true] } }]) : this.#one(jsonValues);
  }
  #one<T>(choices: readonly T[]): T {
    // Within bounds; a copy, since the caller may change the object.
    return copyJson(choices[this.#source.below(choices.length)] as T);
  }
}
