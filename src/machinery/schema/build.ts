/** The builders that declarations use: string(), list(), struct(), optional() and the rest. */

import type { Release } from "../../base/release.ts";
import type { Environment } from "./environment.ts";
import type {
  Defaulted,
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

/**
 * The TypeScript type of what a field, struct or kind describes.
 * @example
 * type Widget = Static<typeof Widget>;
 */
export type Static<F> = F extends { readonly static?: infer T } ? T : never;

/**
 * The members of an object, by name.
 * @example
 * const spec = { size: field.int32() } satisfies Fields;
 */
export type Fields = Record<string, Field<unknown, Presence>>;

type AlwaysThere<F> = { [K in keyof F]: F[K] extends Field<unknown, "required"> ? K : never }[keyof F];

/**
 * A struct's type: required fields are present, all others may be absent.
 * @example
 * type Spec = StaticFields<{ size: ReturnType<typeof field.int32> }>; // { size: number }
 */
export type StaticFields<F> = { [K in AlwaysThere<F>]: Static<F[K]> } & {
  [K in Exclude<keyof F, AlwaysThere<F>>]?: Static<F[K]>;
};

/**
 * The same type as one list of members, which editors show.
 * @example
 * type Shown = Plain<{ a: 1 } & { b: 2 }>; // { a: 1; b: 2 }
 */
export type Plain<T> = T extends infer O ? { [K in keyof O]: O[K] } : never;

type Value<T> = Field<T, "required">;

/**
 * What a program sends for a value of type `T`; `W` is the third parameter of its field.
 * @example
 * type Sent = WrittenValue<number, Defaulted<unknown>>; // number
 */
export type WrittenValue<T, W> = unknown extends W
  ? T
  : W extends Defaulted<infer Inner>
    ? unknown extends Inner
      ? T
      : Inner
    : W;

const plain = <T>(type: PlainSchema["type"]) => new Field<T, "required">({ type }, "required");

/**
 * A text.
 * @example
 * host: field.string().filled().max(253),
 */
export const string = (): Value<string> => plain("string");
/** A text of which servers write one of these, such as a phase: types and OpenAPI name them, and other texts are not refused. */
export const oneWord = <const T extends string>(values: readonly T[]): Value<T> =>
  new Field<T, "required">({ type: "string", words: values }, "required").openApiEnum(values);
/**
 * A whole number of 32 bits.
 * @example
 * replicas: field.int32().atLeast(0),
 */
export const int32 = (): Value<number> => plain("int32");
/**
 * Integers beyond 2^53 are bigint in memory; they print exactly.
 * @example
 * bytes: field.int64(),
 */
export const int64 = (): Value<number> => plain("int64");
export const uint32 = (): Value<number> => plain("uint32");
/**
 * True or false.
 * @example
 * paused: field.optional(field.bool()),
 */
export const bool = (): Value<boolean> => plain("bool");
/**
 * A number with a fraction.
 * @example
 * share: field.double().atMost(1),
 */
export const double = (): Value<number> => plain("double");
/**
 * Bytes, in base64.
 * @example
 * key: field.bytes(),
 */
export const bytes = (): Value<string> => plain("bytes");
/**
 * An amount with a suffix, such as "1.5Gi".
 * @example
 * memory: field.quantity(),
 */
export const quantity = (): Value<string> => plain("quantity");
/**
 * A number or a name.
 * @example
 * port: field.intOrString(),
 */
export const intOrString = (): Value<number | string> => plain("intOrString");
/**
 * A time in RFC 3339, to the second; null is none.
 * @example
 * until: field.optional(field.time()),
 */
export const time = (): Value<string | null> => plain("time");
export const microTime = (): Value<string | null> => plain("microTime");
/**
 * A length of time, such as "1h30m".
 * @example
 * after: field.duration().doc("1h30m"),
 */
export const duration = (): Value<string> => plain("duration");
/**
 * Any JSON object; `json("value")`: any JSON value.
 * @example
 * anything: field.json(),
 */
export const json = (
  form: Exclude<JsonValueSchema["form"], JsonChoice> = "raw",
  more: Pick<JsonValueSchema, "version"> = {},
): Value<unknown> => new Field({ type: "json", form, ...more }, "required");

type ChoiceVersion = JsonValueSchema["version"];

/** `inner` or something simpler; apply sees it as a whole. */
export function choice<T>(form: "orList", inner: Field<T, Presence>, version?: ChoiceVersion): Value<T | T[]>;
export function choice<T>(form: "orBool", inner: Field<T, Presence>, version?: ChoiceVersion): Value<T | boolean>;
export function choice<T>(form: "orTexts", inner: Field<T, Presence>, version?: ChoiceVersion): Value<T | string[]>;
export function choice<T>(form: JsonChoice, inner: Field<T, Presence>, version?: ChoiceVersion): Value<unknown> {
  if (inner.schema.type !== "struct") throw new Error("a choice has an object on its one side");
  return new Field({ type: "json", form, inner: inner.schema, ...(version && { version }) }, "required");
}

export type ListOptions = Omit<ListSchema, "type" | "items" | "ruled">;

/**
 * A list of values of one type.
 * @example
 * hosts: field.list(field.string()).unique(),
 */
export function list<T, W>(
  items: Field<T, Presence, W>,
  options: ListOptions = {},
): Field<T[], "required", unknown extends W ? unknown : WrittenValue<T, W>[]> {
  return new Field({ type: "list", items: items.schema, ...ruledBy(items), ...options }, "required");
}

type MapOptions = Omit<MapSchema, "type" | "values" | "ruled">;

/**
 * Values of one type by names that the user chooses.
 * @example
 * limits: field.map(field.quantity()),
 */
export function map<T, W>(
  values: Field<T, Presence, W>,
  options: MapOptions = {},
): Field<Record<string, T>, "required", unknown extends W ? unknown : Record<string, WrittenValue<T, W>>> {
  return new Field({ type: "map", values: values.schema, ...ruledBy(values), ...options }, "required");
}

/** A list or map keeps the field of its items only for their rules. */
const ruledBy = (field: Field): { ruled?: Field } =>
  field.rules.length > 0 ||
  field.changes.length > 0 ||
  field.reportedAs !== undefined ||
  field.enumeration !== undefined
    ? { ruled: field }
    : {};

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

/** Gives each member of the struct its own owner, also since it is owned as a whole elsewhere: said so since `release`. */
export function granular<T>({ schema }: Value<T>, release: Release): Value<T> {
  if (schema.type !== "struct") throw new Error("only a struct has members");
  return new Field({ ...schema, from: { ...schema.from, [release]: { topology: "granular" } } }, "required");
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
  <T, W>(field: Field<T, Presence, W>): Field<T, P, W> =>
    new Field<T, P, W>(field.schema, presence, field);

/**
 * A pointer: absent is not zero.
 * @example
 * color: field.optional(field.string()),
 */
export const optional: <T, W>(field: Field<T, Presence, W>) => Field<T, "optional", W> = as("optional");
/** A value that is omitted when it is zero. */
export const elided = as("elided");
/** A value that is printed even when it is zero, for a field that became so. */
export const printed = as("required");
/** A pointer that prints null when it is absent. */
export const nullable = as("nullable");
