/**
 * Checks values by the rules of their declarations: those of fields in declared order, and the relations between the fields of a
 * struct after them. Rules are compiled when they are first used, and a value that meets them costs one walk without
 * allocations: the path of a value is put together only for an error.
 */

import {
  type FieldError,
  type FieldErrors,
  forbidden,
  invalid,
  noErrors,
  problemsFoundMax,
  required,
} from "../status/field-error.ts";
import { type Findings, fieldCheck } from "./check-field.ts";
import { isObject } from "./json-value.ts";
import { type AtLevel, atLevel, type Level } from "./level.ts";
import { sameValue } from "./same-value.ts";
import type { Environment, Field, Schema, StructSchema } from "./schema.ts";

/** All problems of a value at `path`. An absent value has none. The value is not changed. */
export type Checker<T> = (value: T | null | undefined, path: string, environment: Environment) => FieldErrors;

/** A rule about several fields of one struct, wherever it occurs. */
export interface Relation {
  readonly struct: Schema;
  readonly check?: (value: never, environment: Environment) => FieldErrors;
  readonly choice?: Choice;
  readonly isUnchecked?: boolean;
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
}

/** Paths of the errors are relative to the struct: "operator", "values[1]", "" for the struct itself, ".." for what it is in. */
export function on<T>(struct: Field<T>, check: (value: T, environment: Environment) => FieldErrors): Relation {
  return { struct: struct.schema, check };
}

export const onlyOne = (struct: Field, choice: Choice): Relation => ({ struct: struct.schema, choice });

/** Values of this struct are not checked here: v1.21 does not, or with other rules. */
export const unchecked = (struct: Field): Relation => ({ struct: struct.schema, isUnchecked: true });

/** The check of a struct and of everything inside it. */
export function checker<T>(declared: Field<T>, relations: readonly Relation[] = []): Checker<T> {
  const checks = new Map<Level, Check>();
  return (value, path, environment) => {
    if (value === undefined || value === null) return noErrors;
    let check = checks.get(environment.level);
    if (check === undefined) {
      check = new Compiler(relations, atLevel(environment.level)).field(declared) ?? nothing;
      checks.set(environment.level, check);
    }
    const walk = new Walk(path, environment);
    check(value, walk);
    return walk.errors ?? noErrors;
  };
}

/** The check of an update: what is immutable must be as it was. */
export function unchanged<T>(
  declared: Field<T>,
): (next: T | undefined, old: T | undefined, path: string) => FieldErrors {
  let check: ChangeCheck | undefined;
  return (next, old, path) => {
    check ??= compileChange(declared.schema) ?? (() => {});
    const errors: FieldError[] = [];
    check(next, old, path, errors);
    return errors;
  };
}

/** Where the walk is, and what it has found. */
class Walk implements Findings {
  readonly environment: Environment;
  errors: FieldError[] | undefined;
  readonly #path: (string | number)[];

  constructor(path: string, environment: Environment) {
    this.#path = [path];
    this.environment = environment;
  }
  get isFull(): boolean {
    return this.errors !== undefined && this.errors.length >= problemsFoundMax;
  }
  enter(step: string | number): void {
    this.#path.push(step);
  }
  leave(): void {
    this.#path.pop();
  }
  add(error: FieldError): void {
    this.errors ??= [];
    this.errors.push({ ...error, field: this.#text(error.field) });
  }
  addAll(errors: FieldErrors): void {
    if (errors.length === 0) return;
    this.errors ??= [];
    for (const error of errors) this.errors.push({ ...error, field: this.#text(error.field) });
  }
  /** The path of an error; each "../" at its beginning or at that of a step leaves a step out. */
  #text(rest: string): string {
    const steps: string[] = [];
    for (const step of [...this.#path, rest]) {
      let text = typeof step === "number" ? `[${step}]` : step;
      for (; text.startsWith(".."); text = text.slice(text.startsWith("../") ? 3 : 2)) steps.pop();
      steps.push(text);
    }
    return steps.reduce(joined, "");
  }
}

/** `rest` may begin with a dot. */
function joined(path: string, rest: string): string {
  if (path === "") return rest.startsWith(".") ? rest.slice(1) : rest;
  return rest === "" || rest.startsWith("[") || rest.startsWith(".") ? path + rest : `${path}.${rest}`;
}

type Check = (value: unknown, walk: Walk) => void;
const nothing: Check = () => {};

/** Makes checks; undefined: nothing below has a rule, so it needs no visit. */
class Compiler {
  readonly #relations = new Map<Schema, Relation[]>();
  readonly #structs = new Map<StructSchema, Check | undefined>();
  readonly #level: AtLevel;

  constructor(relations: readonly Relation[], level: AtLevel) {
    this.#level = level;
    for (const relation of relations) {
      const known = this.#relations.get(relation.struct);
      if (known) known.push(relation);
      else this.#relations.set(relation.struct, [relation]);
    }
  }

  /** The rules of the field itself, then those inside its value. */
  field(declared: Field): Check | undefined {
    const field = this.#level.field(declared);
    if (field === undefined || field.isUnchecked) return undefined;
    const own = fieldCheck(field);
    const inner = this.#value(field.schema);
    if (own === undefined || inner === undefined) return own ?? inner;
    const { max = Infinity } = field.rules.find((rule) => rule.rule === "max") ?? {};
    const isOfStructs = field.schema.type === "list" && field.schema.items.type === "struct";
    return (value, walk) => {
      own(value, walk);
      // Of too many objects, v1.21 does not look at each.
      if (!(isOfStructs && Array.isArray(value) && value.length > max)) inner(value, walk);
    };
  }

  #value(schema: Schema): Check | undefined {
    switch (schema.type) {
      case "struct":
        return this.#struct(schema);
      case "list":
        return eachItem(this.#part(schema.items, schema.ruled), schema.ruled?.reportedAs);
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
    this.#structs.set(schema, (value, walk) => check?.(value, walk));
    check = this.#makeStruct(schema);
    this.#structs.set(schema, check);
    return check;
  }

  #makeStruct(schema: StructSchema): Check | undefined {
    const relations = this.#relations.get(schema) ?? [];
    if (relations.some(({ isUnchecked }) => isUnchecked)) return undefined;
    const choices = relations.flatMap(({ choice }) => (choice ? [choice] : []));
    const chosen = new Set(choices.flatMap(({ members }) => members.map(memberName)));
    const parts: Check[] = [];
    for (const [name, field] of schema.fields) {
      const check = this.field(field);
      if (check && !chosen.has(name)) parts.push(member(name, field, check));
    }
    for (const choice of choices) parts.push(this.#choice(schema, choice));
    for (const { check } of relations) {
      // A relation is written for its own struct.
      const relate = check as ((value: unknown, environment: Environment) => FieldErrors) | undefined;
      if (relate) parts.push((value, walk) => walk.addAll(relate(value, walk.environment)));
    }
    if (parts.length === 0) return undefined;
    return (value, walk) => {
      if (!isObject(value)) return;
      for (const part of parts) part(value, walk);
    };
  }

  #choice(schema: StructSchema, { members, missing, surplus }: Choice): Check {
    const all = members.map((given) => {
      const name = memberName(given);
      const field = schema.fields.get(name);
      if (field === undefined) throw new Error(`${schema.name} has no ${name}`);
      const check = this.field(field);
      return {
        name,
        surplusName: typeof given === "string" ? given : given[1],
        check: check && member(name, field, check),
      };
    });
    const byName = new Map(all.map((one) => [one.name, one]));
    return (value, walk) => {
      const object = value as Record<string, unknown>; // the value of a struct
      let count = 0;
      let only: (typeof all)[number] | undefined;
      for (const name in object) {
        const one = byName.get(name);
        if (one === undefined || object[name] === undefined || object[name] === null) continue;
        count++;
        only = one;
      }
      if (count === 1) {
        only?.check?.(value, walk);
        return;
      }
      let first: string | undefined;
      for (const { name, surplusName, check } of all) {
        if (object[name] === undefined || object[name] === null) continue;
        if (first === undefined || surplusName === "") check?.(value, walk);
        else if (surplus !== undefined) walk.add(forbidden(surplusName, surplus));
        first ??= name;
      }
      if (first === undefined && missing !== undefined) walk.add(required("", missing));
    };
  }
}

const memberName = (member: Choice["members"][number]): string => (typeof member === "string" ? member : member[0]);

/** The check of one member of a struct, which is given the struct. Most members are absent, and most rules allow that. */
function member(name: string, field: Field, check: Check): Check {
  const { reportedAs = name } = field;
  const mayBeAbsent = field.empty !== "checked" && !field.rules.some(({ rule }) => rule === "required");
  return (value, walk) => {
    const given = (value as Record<string, unknown>)[name]; // the value of a struct
    if (given === undefined && mayBeAbsent) return;
    walk.enter(reportedAs);
    check(given, walk);
    walk.leave();
  };
}

/** `reportedAs` "": errors name the list. */
function eachItem(check: Check | undefined, reportedAs: string | undefined): Check | undefined {
  if (check === undefined) return undefined;
  return (value, walk) => {
    if (!Array.isArray(value)) return;
    for (let index = 0; index < value.length && !walk.isFull; index++) {
      walk.enter(reportedAs ?? index);
      check(value[index], walk);
      walk.leave();
    }
  };
}

function eachEntry(check: Check | undefined): Check | undefined {
  if (check === undefined) return undefined;
  return (value, walk) => {
    if (!isObject(value)) return;
    for (const key of Object.keys(value)) {
      walk.enter(`[${key}]`);
      check(value[key], walk);
      walk.leave();
    }
  };
}

type ChangeCheck = (next: unknown, old: unknown, path: string, errors: FieldError[]) => void;

/** Undefined: nothing in the struct is immutable. Items of lists are not compared one by one. */
function compileChange(schema: Schema, around: readonly Schema[] = []): ChangeCheck | undefined {
  if (schema.type !== "struct" || around.includes(schema)) return undefined;
  const parts: ChangeCheck[] = [];
  for (const [name, field] of schema.fields) {
    if (field.isUnchecked || field.isChangeable) continue;
    const isFixed = field.rules.some(({ rule }) => rule === "immutable");
    const inner: ChangeCheck | undefined = isFixed
      ? (next, old, path, errors) => {
          if (!sameValue(next, old, field)) errors.push(invalid(path, next, "field is immutable"));
        }
      : compileChange(field.schema, [...around, schema]);
    const shown = field.reportedAs ?? name;
    if (inner)
      parts.push((next, old, path, errors) =>
        inner(memberOf(next, name), memberOf(old, name), joined(path, shown), errors),
      );
  }
  if (parts.length === 0) return undefined;
  return (next, old, path, errors) => {
    for (const part of parts) part(next, old, path, errors);
  };
}

const memberOf = (value: unknown, name: string): unknown => (isObject(value) ? value[name] : undefined);
