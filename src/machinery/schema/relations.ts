/** Relations between fields in one line each: which member is needed, forbidden or refused, and when. */

import type { Span } from "../../base/release.ts";
import { forbidden, invalid, noErrors, required } from "../status/field-error.ts";
import { on, type Relation } from "./constraints.ts";
import type { Environment, Field } from "./schema.ts";

/** Whether the relation counts for this value of the struct. */
type When<T> = (value: T, environment: Environment) => boolean;

/** The member must be given when the condition holds. */
export const need = <T>(
  struct: Field<T>,
  member: keyof T & string,
  text: string,
  when: When<T>,
  span?: Span,
): Relation =>
  on(
    struct,
    (value, environment) => (!isGiven(value[member]) && when(value, environment) ? [required(member, text)] : noErrors),
    span,
  );

/** The member must not be given when the condition holds. */
export const forbid = <T>(
  struct: Field<T>,
  member: keyof T & string,
  text: string,
  when: When<T>,
  span?: Span,
): Relation =>
  on(
    struct,
    (value, environment) => (isGiven(value[member]) && when(value, environment) ? [forbidden(member, text)] : noErrors),
    span,
  );

/** The value of the member is wrong when the condition holds. Member "": the struct as a whole, of which nothing is shown. */
export const refuse = <T>(
  struct: Field<T>,
  member: "" | (keyof T & string),
  text: string,
  when: When<T>,
  span?: Span,
): Relation =>
  on(
    struct,
    (value, environment) =>
      when(value, environment) ? [invalid(member, member === "" ? "" : value[member], text)] : noErrors,
    span,
  );

/** Neither absent nor zero nor empty. */
export function isGiven(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return Boolean(value);
  for (const _ in value) return true;
  return false;
}
