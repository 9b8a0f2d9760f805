/** The builders that declarations use: string(), list(), struct(), optional() and the rest. */

import type {
  Environment,
  IntegerSchema,
  JsonChoice,
  JsonSchema,
  ListSchema,
  MapSchema,
  MapTopology,
  PlainSchema,
  Presence,
  Schema,
  StringSchema,
} from "./schema.ts";
import { Field } from "./schema.ts";

/** The TypeScript type of what a field, struct or kind describes. */
export type Static<F> = F extends { readonly static?: infer T } ? T : never;

export type Fields = Record<string, Field<unknown, Presence>>;

type AlwaysThere<F> = { [K in keyof F]: F[K] extends Field<unknown, "required"> ? K : never }[keyof F];

/** A struct's type: required fields are present, all others may be absent. */
export type StaticFields<F> = { [K in AlwaysThere<F>]: Static<F[K]> } & {
  [K in Exclude<keyof F, AlwaysThere<F>>]?: Static<F[K]>;
};

type Value<T> = Field<T, "required">;

const plain = <T>(type: PlainSchema["type"]) => new Field<T, "required">({ type }, "required");

export const string = (options: Omit<StringSchema, "type"> = {}): Value<string> =>
  new Field({ type: "string", ...options }, "required");
const integer = (type: IntegerSchema["type"], options: Omit<IntegerSchema, "type">): Value<number> =>
  new Field({ type, ...options }, "required");
export const int32 = (options: Omit<IntegerSchema, "type"> = {}): Value<number> => integer("int32", options);
/** Integers beyond 2^53 are bigint in memory; they print exactly. */
export const int64 = (options: Omit<IntegerSchema, "type"> = {}): Value<number> => integer("int64", options);
export const uint32 = (): Value<number> => integer("uint32", {});
export const bool = (): Value<boolean> => plain("bool");
export const double = (): Value<number> => plain("double");
export const bytes = (): Value<string> => plain("bytes");
export const quantity = (): Value<string> => plain("quantity");
export const intOrString = (): Value<number | string> => plain("intOrString");
export const time = (): Value<string | null> => plain("time");
export const microTime = (): Value<string | null> => plain("microTime");
export const duration = (): Value<string> => plain("duration");
export const json = (form: Exclude<JsonSchema["form"], JsonChoice> = "raw"): Value<unknown> =>
  new Field({ type: "json", form }, "required");

/** `inner` or something simpler; apply sees it as a whole. */
export function choice<T>(form: "orList", inner: Field<T, Presence>): Value<T | T[]>;
export function choice<T>(form: "orBool", inner: Field<T, Presence>): Value<T | boolean>;
export function choice<T>(form: "orTexts", inner: Field<T, Presence>): Value<T | string[]>;
export function choice<T>(form: JsonChoice, inner: Field<T, Presence>): Value<unknown> {
  if (inner.schema.type !== "struct") throw new Error("a choice has an object on its one side");
  return new Field({ type: "json", form, inner: inner.schema }, "required");
}

export type ListOptions = Omit<ListSchema, "type" | "items">;

export function list<T>(items: Field<T, Presence>, options: ListOptions = {}): Value<T[]> {
  return new Field({ type: "list", items: items.schema, ...options }, "required");
}

export type MapOptions = Omit<MapSchema, "type" | "values">;

export function map<T>(values: Field<T, Presence>, options: MapOptions = {}): Value<Record<string, T>> {
  return new Field({ type: "map", values: values.schema, ...options }, "required");
}

export interface StructOptions<T> {
  readonly doc?: string;
  readonly topology?: MapTopology;
  readonly inline?: Readonly<Record<string, number>>;
  readonly patchStrategy?: string;
  readonly defaults?: (value: T, environment: Environment) => void;
  readonly isFinal?: boolean;
  readonly unions?: readonly unknown[];
}

/** A struct of the given name ("core.v1.Container"). `fields` may be a function where a type contains itself. */
export function struct<F extends Fields>(
  name: string,
  fields: F | (() => F),
  options: StructOptions<StaticFields<F>> = {},
): Value<StaticFields<F>> {
  const { doc = "", ...rest } = options;
  let made: ReadonlyMap<string, Field> | undefined;
  const schema: Schema = {
    type: "struct",
    name,
    description: doc,
    get fields() {
      made ??= new Map(Object.entries(typeof fields === "function" ? fields() : fields));
      return made;
    },
    ...rest,
  };
  return new Field(schema, "required");
}

/** The same struct under the name of another version or kind. Structs in it keep their names. */
export function renamed<T>(name: string, { schema }: Value<T>): Value<T> {
  if (schema.type !== "struct") throw new Error("only a struct has a name");
  return new Field({ ...schema, name }, "required");
}

const as =
  <P extends Presence>(presence: P) =>
  <T>(field: Field<T, Presence>): Field<T, P> =>
    new Field<T, P>(field.schema, presence, { ...field });

/** A pointer: absent is not zero. */
export const optional = as("optional");
/** A value that is omitted when it is zero. */
export const elided = as("elided");
/** A pointer that prints null when it is absent. */
export const nullable = as("nullable");
