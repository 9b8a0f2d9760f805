/** The builders that declarations use: string(), list(), struct(), optional() and the rest. */

import type {
  Environment,
  JsonChoice,
  JsonValueSchema,
  ListSchema,
  MapSchema,
  MapTopology,
  PlainSchema,
  Presence,
  Schema,
  StructSchema,
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

export const string = (): Value<string> => plain("string");
export const int32 = (): Value<number> => plain("int32");
/** Integers beyond 2^53 are bigint in memory; they print exactly. */
export const int64 = (): Value<number> => plain("int64");
export const uint32 = (): Value<number> => plain("uint32");
export const bool = (): Value<boolean> => plain("bool");
export const double = (): Value<number> => plain("double");
export const bytes = (): Value<string> => plain("bytes");
export const quantity = (): Value<string> => plain("quantity");
export const intOrString = (): Value<number | string> => plain("intOrString");
export const time = (): Value<string | null> => plain("time");
export const microTime = (): Value<string | null> => plain("microTime");
export const duration = (): Value<string> => plain("duration");
export const json = (form: Exclude<JsonValueSchema["form"], JsonChoice> = "raw"): Value<unknown> =>
  new Field({ type: "json", form }, "required");

/** `inner` or something simpler; apply sees it as a whole. */
export function choice<T>(form: "orList", inner: Field<T, Presence>): Value<T | T[]>;
export function choice<T>(form: "orBool", inner: Field<T, Presence>): Value<T | boolean>;
export function choice<T>(form: "orTexts", inner: Field<T, Presence>): Value<T | string[]>;
export function choice<T>(form: JsonChoice, inner: Field<T, Presence>): Value<unknown> {
  if (inner.schema.type !== "struct") throw new Error("a choice has an object on its one side");
  return new Field({ type: "json", form, inner: inner.schema }, "required");
}

export type ListOptions = Omit<ListSchema, "type" | "items" | "ruled">;

export function list<T>(items: Field<T, Presence>, options: ListOptions = {}): Value<T[]> {
  return new Field({ type: "list", items: items.schema, ...ruledBy(items), ...options }, "required");
}

type MapOptions = Omit<MapSchema, "type" | "values" | "ruled">;

export function map<T>(values: Field<T, Presence>, options: MapOptions = {}): Value<Record<string, T>> {
  return new Field({ type: "map", values: values.schema, ...ruledBy(values), ...options }, "required");
}

/** A list or map keeps the field of its items only for their rules. */
const ruledBy = (field: Field): { ruled?: Field } =>
  field.rules.length > 0 || field.changes.length > 0 || field.reportedAs !== undefined ? { ruled: field } : {};

interface StructOptions<T> {
  readonly doc?: string;
  readonly topology?: MapTopology;
  readonly inline?: Readonly<Record<string, number>>;
  readonly patchStrategy?: string;
  readonly defaults?: (value: T, environment: Environment) => void;
  readonly isFinal?: boolean;
  readonly unions?: readonly unknown[];
  /** What changed in later releases. */
  readonly from?: NonNullable<StructSchema["from"]>;
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

/** Gives the struct the name of another version or kind. Structs in it keep their names. `more`: what changed in this one. */
export function renamed<T>(name: string, { schema }: Value<T>, more: Pick<StructOptions<T>, "from"> = {}): Value<T> {
  if (schema.type !== "struct") throw new Error("only a struct has a name");
  return new Field({ ...schema, name, ...more }, "required");
}

/** Gives each member of the struct its own owner, also since it is owned as a whole elsewhere. */
export function granular<T>({ schema }: Value<T>): Value<T> {
  if (schema.type !== "struct") throw new Error("only a struct has members");
  const changes = Object.entries(schema.from ?? {}).map(([release, change]) => [
    release,
    change?.topology === "atomic" ? { ...change, topology: "granular" } : change,
  ]);
  return new Field({ ...schema, from: Object.fromEntries(changes) }, "required");
}

/** The struct with some of its fields only. */
export function pick<T>({ schema }: Value<T>, names: readonly (keyof T & string)[]): Value<T> {
  if (schema.type !== "struct") throw new Error("only a struct has fields");
  const wanted = new Set<string>(names);
  const fields = new Map([...schema.fields].filter(([name]) => wanted.has(name)));
  return new Field({ ...schema, fields }, "required");
}

const as =
  <P extends Presence>(presence: P) =>
  <T>(field: Field<T, Presence>): Field<T, P> =>
    new Field<T, P>(field.schema, presence, field);

/** A pointer: absent is not zero. */
export const optional: <T>(field: Field<T, Presence>) => Field<T, "optional"> = as("optional");
/** A value that is omitted when it is zero. */
export const elided = as("elided");
/** A value that is printed even when it is zero, for a field that became so. */
export const printed = as("required");
/** A pointer that prints null when it is absent. */
export const nullable = as("nullable");
