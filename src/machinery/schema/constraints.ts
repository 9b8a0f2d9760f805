/**
 * Checks values by the rules of their declarations: those of fields in declared order, and the relations between the fields of a
 * struct after them. Rules are compiled when they are first used, and a value that meets them costs one walk over the members
 * that it has, without allocations: the path of a value is put together only for an error.
 */

import type { Span } from "../../base/release.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import { isObject } from "../json/json-value.ts";
import {
  addTo,
  both,
  type FieldError,
  type FieldErrors,
  forbidden,
  noErrors,
  problemsFoundMax,
  required,
} from "../status/field-error.ts";
import { type Check, fieldCheck } from "./check-field.ts";
import { compiled } from "./compiled.ts";
import type { Environment } from "./environment.ts";
import { type AtLevel, atLevel } from "./field-level.ts";
import { withSpokenRules } from "./rename.ts";
import type { Field, Schema, StructSchema } from "./schema.ts";

/** All problems of a value at `path`. An absent value has none. The value is not changed. */
type Checker<T> = (value: T | null | undefined, path: string, environment: Environment) => FieldErrors;

/** A rule about several fields of one struct, wherever it occurs. */
export interface Relation extends Span {
  readonly struct: Schema;
  readonly check?: (value: never, environment: Environment) => FieldErrors;
  readonly choice?: Choice;
  readonly union?: Union;
  readonly condition?: Condition;
}

/** At most one of these members is given. Of several the first counts: only that is checked, and the others are forbidden. */
interface Choice {
  /**
   * In the order of the checks; with another name where v1.21 reports a surplus one under it. "": that one may be there besides
   * another, and is checked as well.
   */
  readonly members: readonly (string | readonly [member: string, surplusName: string])[];
  /** Given: one of them is required. */
  readonly missing?: string;
  /** Why the others are forbidden. Absent: they are only not checked. */
  readonly surplus?: string;
  /** Given: unless it is exactly one, one is required for this reason, and none is checked. */
  readonly exactly?: string;
}

/** A member names the one of the others that must be given; only that is checked. */
interface Union {
  /** The member that says which, a text with a rule `oneOf`; nothing more is said about other texts. */
  readonly by: string;
  /** The text for which each member is given. */
  readonly members: Readonly<Record<string, string>>;
  readonly missing: (text: string) => string;
  /** Why a member is forbidden that is for `own`, where the text is another. */
  readonly surplus: (text: string, own: string) => string;
}

/** The rules of some members, and of what is in them, count only when this holds for the struct. */
interface Condition {
  readonly members: readonly string[];
  readonly holds: (value: never, environment: Environment) => boolean;
}

/** Paths of the errors are relative to the struct: "operator", "values[1]", "" for the struct itself, ".." for what it is in. */
export function on<T>(
  struct: Field<T>,
  check: (value: T, environment: Environment) => FieldErrors,
  span: Span = {},
): Relation {
  return { struct: struct.schema, check, ...span };
}

export const onlyOne = (struct: Field, choice: Choice): Relation => ({ struct: struct.schema, choice });

export const chosenBy = (struct: Field, union: Union): Relation => ({ struct: struct.schema, union });

/** These members are checked only when the condition holds; what else is then said about them is another relation. */
export function checkedWhen<T>(
  struct: Field<T>,
  members: readonly (keyof T & string)[],
  holds: (value: T, environment: Environment) => boolean,
): Relation {
  return { struct: struct.schema, condition: { members, holds } };
}

/** The check of a struct and of everything inside it. */
export function checker<T>(declared: Field<T>, relations: readonly Relation[] = []): Checker<T> {
  const checkAt = compiled(
    ({ level, vocabulary }) => new Compiler(relations, atLevel(level), vocabulary).field(declared) ?? nothing,
  );
  return (value, path, environment) => {
    if (value === undefined || value === null) return noErrors;
    const errors = checkAt(environment)(value, environment);
    return errors.length === 0 ? noErrors : inside(path, errors);
  };
}

/** The errors of a value as errors of what it is in; each "../" at the beginning of a path leaves out a step. */
function inside(step: string | number, errors: FieldErrors): FieldErrors {
  const path = typeof step === "number" ? `[${step}]` : step;
  // An object may have as many errors as it has parts, and each comes through here on every level: a spread takes three times as long.
  return errors.map(({ reason, field, message }) => ({
    reason,
    field: field.startsWith("..") ? field.slice(3) : joined(path, field),
    message,
  }));
}

/** `rest` may begin with a dot. */
export function joined(path: string, rest: string): string {
  if (path === "") return rest.startsWith(".") ? rest.slice(1) : rest;
  return rest === "" || rest.startsWith("[") || rest.startsWith(".") ? path + rest : `${path}.${rest}`;
}

const nothing: Check = () => noErrors;

/** Makes checks; undefined: nothing below has a rule, so it needs no visit. */
class Compiler {
  readonly #relations = new Map<Schema, Relation[]>();
  readonly #structs = new Map<StructSchema, Check | undefined>();
  readonly #level: AtLevel;
  readonly #vocabulary: Vocabulary;

  constructor(relations: readonly Relation[], level: AtLevel, vocabulary: Vocabulary) {
    this.#level = level;
    this.#vocabulary = vocabulary;
    for (const relation of relations) {
      if (!level.has(relation)) continue;
      const known = this.#relations.get(relation.struct);
      if (known) known.push(relation);
      else this.#relations.set(relation.struct, [relation]);
    }
  }

  /** The rules of the field itself, then those inside its value. */
  field(declared: Field): Check | undefined {
    const field = this.#level.field(declared);
    if (field === undefined || field.isUnchecked) return undefined;
    const own = fieldCheck(withSpokenRules(field, this.#vocabulary));
    const inner = this.#value(field.schema);
    if (own === undefined || inner === undefined) return own ?? inner;
    const { max = Infinity } = field.rules.find((rule) => rule.rule === "max") ?? {};
    const isOfStructs = field.schema.type === "list" && field.schema.items.type === "struct";
    return (value, environment) => {
      const errors = own(value, environment);
      // v1.21 does not look at each of too many objects.
      if (isOfStructs && Array.isArray(value) && value.length > max) return errors;
      return both(errors, inner(value, environment));
    };
  }

  #value(schema: Schema): Check | undefined {
    switch (schema.type) {
      case "struct":
        return this.#struct(schema);
      case "list":
        return eachItem(
          this.#part(schema.items, schema.ruled),
          schema.ruled && this.#level.field(schema.ruled)?.reportedAs,
        );
      case "map":
        return eachEntry(this.#part(schema.values, schema.ruled));
      default:
        return undefined;
    }
  }

  #part(schema: Schema, ruled: Field | undefined): Check | undefined {
    return ruled === undefined ? this.#value(schema) : this.field(ruled);
  }

  #struct(schema: StructSchema): Check | undefined {
    if (this.#structs.has(schema)) return this.#structs.get(schema);
    let check: Check | undefined;
    // A struct that contains itself finds the finished check at run time.
    this.#structs.set(schema, (value, environment) => check?.(value, environment) ?? noErrors);
    check = this.#makeStruct(schema);
    this.#structs.set(schema, check);
    return check;
  }

  #makeStruct(schema: StructSchema): Check | undefined {
    const relations = this.#relations.get(schema) ?? [];
    const choices = relations.flatMap(({ choice }) => (choice ? [choice] : []));
    const unions = relations.flatMap(({ union }) => (union ? [union] : []));
    const chosen = new Set([
      ...choices.flatMap(({ members }) => members.map(memberName)),
      ...unions.flatMap(({ members }) => Object.keys(members)),
    ]);
    const conditions = relations.flatMap(({ condition }) => (condition ? [condition] : []));
    const members: Member[] = [];
    for (const [name, declared] of schema.fields) {
      const [field, check] = [this.#level.field(declared), this.field(declared)];
      if (!field || !check || chosen.has(name)) continue;
      const holds = conditions.find((one) => one.members.includes(name))?.holds;
      const spoken = member(this.#vocabulary.field(name), field, check, members.length);
      members.push({ ...spoken, ...(holds ? { holds: holds as Holds } : {}) });
    }
    const parts = choices.map((choice) => this.#choice(schema, choice));
    for (const union of unions) parts.push(this.#union(schema, union));
    // A relation is written for its own struct.
    for (const { check } of relations) if (check) parts.push(check as Check);
    return structCheck(members, parts);
  }

  #member(schema: StructSchema, name: string, position: number): Member {
    const field = schema.fields.get(name);
    if (field === undefined) throw new Error(`${schema.name} has no ${name}`);
    return member(name, this.#level.field(field) ?? field, this.field(field) ?? nothing, position);
  }

  #union(schema: StructSchema, { by, members, missing, surplus }: Union): Check {
    const known = schema.fields.get(by)?.rules.find((rule) => rule.rule === "oneOf")?.values ?? [];
    const all = Object.entries(members).map(([name, own], at) => ({ ...this.#member(schema, name, at), own }));
    return (value, environment) => {
      const object = value as Record<string, unknown>; // the value of a struct
      const text = object[by] as string; // the union is by a text
      if (!known.includes(text)) return noErrors;
      let errors = noErrors;
      for (const one of all) {
        const given = object[one.name];
        if (one.own !== text) {
          if (given !== undefined) errors = both(errors, [forbidden(one.name, surplus(text, one.own))]);
        } else if (given === undefined) errors = both(errors, [required(one.name, missing(text))]);
        else errors = both(errors, problemsOf(one, given, environment));
      }
      return errors;
    };
  }

  #choice(schema: StructSchema, { members, missing, surplus, exactly }: Choice): Check {
    const all = members.map((given, position) => {
      const surplusName = typeof given === "string" ? given : given[1];
      return { ...this.#member(schema, memberName(given), position), surplusName };
    });
    const byName = new Map(all.map((one) => [one.name, one]));
    return (value, environment) => {
      const object = value as Record<string, unknown>; // the value of a struct
      let count = 0;
      let only: Member | undefined;
      for (const name in object) {
        const one = byName.get(name);
        if (one === undefined || object[name] === undefined || object[name] === null) continue;
        count++;
        only = one;
      }
      if (only !== undefined && count === 1) return problemsOf(only, object[only.name], environment);
      if (exactly !== undefined) return [required("", exactly)];
      if (count === 0) return missing === undefined ? noErrors : [required("", missing)];
      let errors = noErrors;
      let isFirst = true;
      for (const one of all) {
        if (object[one.name] === undefined || object[one.name] === null) continue;
        if (isFirst || one.surplusName === "") errors = both(errors, problemsOf(one, object[one.name], environment));
        else if (surplus !== undefined) errors = both(errors, [forbidden(one.surplusName, surplus)]);
        isFirst = false;
      }
      return errors;
    };
  }
}

const memberName = (member: Choice["members"][number]): string => (typeof member === "string" ? member : member[0]);

/** A member of a struct that has rules, itself or inside. */
interface Member {
  readonly name: string;
  readonly reportedAs: string;
  readonly check: Check;
  /** Whether its rules have something to say when it is absent. */
  readonly isSeenAbsent: boolean;
  /** In the order in which errors are told. */
  readonly position: number;
  /** Given: the member is checked only where this holds. */
  readonly holds?: Holds;
}

/** Asked about the struct that has the member; a relation is written for its own struct. */
type Holds = (object: object, environment: Environment) => boolean;

function member(name: string, field: Field, check: Check, position: number): Member {
  const isSeenAbsent = field.empty === "checked" || field.rules.some(({ rule }) => rule === "required");
  return { name, reportedAs: field.reportedAs ?? name, check, isSeenAbsent, position };
}

function problemsOf({ reportedAs, check }: Member, value: unknown, environment: Environment): FieldErrors {
  const errors = check(value, environment);
  return errors.length === 0 ? noErrors : inside(reportedAs, errors);
}

const rememberedMax = 64;

/** Most members are absent, so those are visited that the object has. `parts` are given the struct. */
function structCheck(members: readonly Member[], parts: readonly Check[]): Check | undefined {
  if (members.length === 0 && parts.length === 0) return undefined;
  const byName = new Map(members.map((one) => [one.name, one]));
  const seenAbsent = members.filter(({ isSeenAbsent }) => isSeenAbsent);
  // The members of the last object: most have the same in the same order, and comparing is cheaper than looking up.
  const names: string[] = [];
  const known: (Member | undefined)[] = [];
  return (value, environment) => {
    if (typeof value !== "object" || value === null) return noErrors;
    const object = value as Record<string, unknown>; // of a struct
    let found: FieldErrors[] | undefined;
    let missing = seenAbsent.length;
    let at = 0;
    for (const name in object) {
      const given = object[name];
      if (given === undefined) continue;
      if (names[at] !== name) {
        at = at < rememberedMax ? at : 0;
        names[at] = name;
        known[at] = byName.get(name);
      }
      const one = known[at++];
      if (one === undefined) continue;
      if (one.isSeenAbsent) missing--;
      const errors = one.check(given, environment);
      // Most values meet their rules, so the condition is asked last.
      if (errors.length === 0 || one.holds?.(object, environment) === false) continue;
      found ??= [];
      found[one.position] = inside(one.reportedAs, errors);
    }
    for (let at = 0; missing > 0 && at < seenAbsent.length; at++) {
      const one = seenAbsent[at] as Member; // `at` is within bounds
      if (object[one.name] !== undefined || one.holds?.(object, environment) === false) continue;
      found ??= [];
      found[one.position] = problemsOf(one, undefined, environment);
    }
    let errors = found === undefined ? noErrors : found.flat();
    for (let at = 0; at < parts.length; at++) {
      const check = parts[at] as Check; // `at` is within bounds
      errors = both(errors, check(object, environment));
    }
    return errors;
  };
}

/** `reportedAs` "": errors name the list. */
function eachItem(check: Check | undefined, reportedAs: string | undefined): Check | undefined {
  if (check === undefined) return undefined;
  return (value, environment) => {
    if (!Array.isArray(value)) return noErrors;
    let all: FieldError[] | undefined;
    for (let index = 0; index < value.length; index++) {
      const errors = check(value[index], environment);
      if (errors.length === 0) continue;
      all ??= [];
      addTo(all, inside(reportedAs ?? index, errors));
      if (all.length >= problemsFoundMax) break;
    }
    return all ?? noErrors;
  };
}

function eachEntry(check: Check | undefined): Check | undefined {
  if (check === undefined) return undefined;
  return (value, environment) => {
    if (!isObject(value)) return noErrors;
    let all: FieldError[] | undefined;
    for (const key in value) {
      const errors = check(value[key], environment);
      if (errors.length === 0) continue;
      all ??= [];
      addTo(all, inside(`[${key}]`, errors));
      if (all.length >= problemsFoundMax) break;
    }
    return all ?? noErrors;
  };
}
