/** Builders of fields that custom resources need beyond those of the schema language. */

import {
  type Fields,
  int64,
  list,
  optional,
  type Plain,
  type StaticFields,
  string,
  struct,
} from "../../machinery/schema/build.ts";
import { Field } from "../../machinery/schema/schema.ts";
import type { Condition } from "../objects/conditions.ts";

/**
 * An object with these members; names of types are not needed here.
 * @example
 * spec: field.object({ size: field.int32() }),
 */
export const object = <F extends Fields>(
  fields: F,
  options: { readonly doc?: string; readonly topology?: "atomic" | "granular" } = {},
): Field<Plain<StaticFields<F>>, "required"> =>
  struct("", fields, options) as Field<unknown> as Field<Plain<StaticFields<F>>, "required">; // the same members

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
