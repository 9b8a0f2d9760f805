/** Relations between fields in one line each: which member is needed, forbidden or refused, and when. */

import type { Span } from "../../base/release.ts";
import { forbidden, invalid, noErrors, required } from "../status/field-error.ts";
import { on, type Relation } from "./constraints.ts";
import type { Environment } from "./environment.ts";
import type { Field } from "./schema.ts";

/** Whether the relation counts for this value of the struct. */
type When<T> = (value: T, environment: Environment) => boolean;
type Member<T> = keyof T & string;

/** The member must be given when the condition holds. */
export function need<T>(struct: Field<T>, member: Member<T>, text: string, when: When<T>, span?: Span): Relation {
  const errors = [required(member, text)];
  const isGiven = givenIn(struct, member);
  return on(struct, (value, environment) => (!isGiven(value) && when(value, environment) ? errors : noErrors), span);
}

/** The member must not be given when the condition holds. */
export function forbid<T>(struct: Field<T>, member: Member<T>, text: string, when: When<T>, span?: Span): Relation {
  const errors = [forbidden(member, text)];
  const isGiven = givenIn(struct, member);
  return on(struct, (value, environment) => (isGiven(value) && when(value, environment) ? errors : noErrors), span);
}

/** The value of the member is wrong when the condition holds. Member "": the struct as a whole, of which nothing is shown. */
export function refuse<T>(
  struct: Field<T>,
  member: "" | Member<T>,
  text: string,
  when: When<T>,
  span?: Span,
): Relation {
  const shown = (value: T) => (member === "" ? "" : value[member]);
  return on(
    struct,
    (value, environment) => (when(value, environment) ? [invalid(member, shown(value), text)] : noErrors),
    span,
  );
}

/** As `required` has it: a pointer that is not absent, a list that is not empty, anything else that is not zero. */
function givenIn<T>({ schema }: Field<T>, member: Member<T>): (value: T) => boolean {
  return (value) => {
    const given: unknown = value[member];
    if (given === undefined || given === null) return false;
    if (Array.isArray(given)) return given.length > 0;
    // The fields of a struct are known when it is first used.
    const presence = schema.type === "struct" ? schema.fields.get(member)?.presence : undefined;
    return presence === "optional" || presence === "nullable" || Boolean(given);
  };
}
