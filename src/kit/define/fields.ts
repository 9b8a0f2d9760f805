/** Builders of fields that custom resources need beyond those of the schema language. */

import {
  type Fields,
  int64,
  list,
  optional,
  type Plain,
  type Static,
  string,
  struct,
  type WrittenValue,
} from "../../machinery/schema/build.ts";
import { type Defaulted, Field, type Presence } from "../../machinery/schema/schema.ts";
import type { Condition } from "../objects/conditions.ts";

type IsDefaulted<G> =
  G extends Field<unknown, Presence, infer W>
    ? unknown extends W
      ? false
      : W extends Defaulted<unknown>
        ? true
        : false
    : false;
type IsRequired<G> = G extends Field<unknown, "required"> ? true : false;

/** Members that are there in every object that was read. */
type AlwaysRead<F> = {
  [K in keyof F]: true extends IsRequired<F[K]> | IsDefaulted<F[K]> ? K : never;
}[keyof F];
/** Members that an object must have to be sent. */
type AlwaysSent<F> = {
  [K in keyof F]: [IsRequired<F[K]>, IsDefaulted<F[K]>] extends [true, false] ? K : never;
}[keyof F];

/**
 * The members of an object that was read: servers fill in those that have a default.
 * @example
 * type Spec = ReadFields<typeof fields>; // { size: number; color?: string }
 */
export type ReadFields<F> = { [K in AlwaysRead<F>]: Static<F[K]> } & {
  [K in Exclude<keyof F, AlwaysRead<F>>]?: Static<F[K]>;
};

type SentValue<G> = G extends Field<infer T, Presence, infer W> ? WrittenValue<T, W> : never;

/**
 * The members of an object that is sent: those that have a default may be absent.
 * @example
 * type Spec = WrittenFields<typeof fields>; // { size?: number; color?: string }
 */
export type WrittenFields<F> = { [K in AlwaysSent<F>]: SentValue<F[K]> } & {
  [K in Exclude<keyof F, AlwaysSent<F>>]?: SentValue<F[K]>;
};

/** Unknown: what is sent is the same as what is read. */
type WrittenApart<F> = WrittenFields<F> extends ReadFields<F> ? unknown : Plain<WrittenFields<F>>;

/**
 * An object with these members; names of types are not needed here.
 * @example
 * spec: field.object({ size: field.int32() }),
 */
export const object = <F extends Fields>(
  fields: F,
  options: { readonly doc?: string; readonly topology?: "atomic" | "granular" } = {},
): Field<Plain<ReadFields<F>>, "required", WrittenApart<F>> =>
  struct("", fields, options) as Field<unknown> as Field<Plain<ReadFields<F>>, "required", WrittenApart<F>>; // the same members

/**
 * A text that is one of these, also for the type checker.
 * @example
 * color: field.oneOf(["red", "blue"]),
 */
export const oneOf = <const T extends string>(values: readonly T[]): Field<T, "required"> =>
  new Field<T, "required">({ type: "string" }, "required").oneOf(values);

/**
 * The conditions of a status, which `withCondition` changes.
 * @example
 * status: field.optional(field.object({ conditions: field.optional(field.conditionList()) })),
 */
export function conditionList(): Field<Condition[], "required"> {
  const condition: Field<Condition, "required"> = object({
    type: string().filled().doc("What the condition is about, in CamelCase."),
    status: oneOf(["True", "False", "Unknown"]),
    reason: string().filled().doc("Why it has this status, in one word."),
    message: string().doc("The same for people."),
    lastTransitionTime: string().doc("When the status changed last."),
    observedGeneration: optional(int64()).doc("The generation of the object that the condition is about."),
  });
  return list(condition, { topology: "map", keys: ["type"] });
}
