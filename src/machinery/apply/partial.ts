/** Reads the configuration of an apply: part of an object, in which what is absent stays absent. */

import type { Steps } from "../../base/time-slice.ts";
import { isObject } from "../json/json-value.ts";
import { isSmall, valuesPerStep } from "../json/parts.ts";
import { membersMax } from "../schema/decode-tally.ts";
import type { ListSchema, Schema, StructSchema } from "../schema/schema.ts";
import { badRequest, problemsToldMax, tooLarge } from "../status/status.ts";
import { expected, unidentifiable } from "./misfit.ts";
import { fieldToken, showPath } from "./token.ts";
import { type ListPlan, listPlan } from "./topology.ts";

/**
 * The value itself, once it is known to fit the schema. Nothing is defaulted or made canonical, since apply
 * compares what was sent: "1000m" is another value than "1" to its owner. null is allowed everywhere and owns the
 * field. Throws a badRequest with the paths of all fields that the schema does not know, of all values of another type,
 * and of items that cannot be distinguished, after `prefix`.
 */
export function* decodePartial(schema: StructSchema, value: unknown, prefix = ""): Steps<Record<string, unknown>> {
  if (!isObject(value)) throw badRequest("the configuration must be an object");
  const check = new Check();
  yield* check.inSteps(schema, value);
  const { problems } = check;
  if (problems.length === 0) return value;
  // One follows the prefix, several have a line each: programs match on it.
  throw badRequest(prefix + (problems.length === 1 ? problems[0] : ["errors:", ...problems].join("\n  ")));
}

type Visit = (schema: Schema, value: unknown, token: string) => void;

class Check {
  /** What does not fit, each with its path. */
  readonly problems: string[] = [];
  /** Members of the configuration so far. */
  #members = 0;
  /** The way to what is being checked, in tokens. It becomes a text only if there is a problem. */
  readonly #path: string[] = [];

  /** Large parts in steps, others at once. */
  *inSteps(schema: Schema, value: unknown): Steps<void> {
    if (schema.type === "json" || isSmall(value)) return this.#atOnce(schema, value);
    if (schema.type === "map" && isObject(value)) return yield* this.#membersInSteps(schema.values, value);
    const parts: Parameters<Visit>[] = [];
    this.#visit(schema, value, (...part) => parts.push(part));
    for (const [at, [inner, part, token]] of parts.entries()) {
      this.#path.push(token);
      if (isSmall(part)) this.#atOnce(inner, part);
      else yield* this.inSteps(inner, part);
      this.#path.pop();
      if ((at + 1) % valuesPerStep === 0) yield;
    }
  }

  /** Of a map, whose parts a visit would gather first. */
  *#membersInSteps(schema: Schema, members: Readonly<Record<string, unknown>>): Steps<void> {
    const names = Object.keys(members);
    this.#count(names.length);
    yield;
    for (const [at, name] of names.entries()) {
      this.#path.push(fieldToken(name));
      if (isSmall(members[name])) this.#atOnce(schema, members[name]);
      else yield* this.inSteps(schema, members[name]);
      this.#path.pop();
      if ((at + 1) % valuesPerStep === 0) yield;
    }
  }

  #atOnce(schema: Schema, value: unknown): void {
    if (value !== null && schema.type !== "json") this.#visit(schema, value, this.#inside);
  }

  readonly #inside: Visit = (schema, value, token) => {
    this.#path.push(token);
    this.#atOnce(schema, value);
    this.#path.pop();
  };

  /** Visits the parts of a value, if it is of the right type. */
  #visit(schema: Schema, value: unknown, visit: Visit): void {
    const problem = expected(schema, value);
    if (problem !== undefined) {
      this.#report(problem);
      return;
    }
    switch (schema.type) {
      case "struct":
        this.#visitMembers(schema, value as Readonly<Record<string, unknown>>, visit); // as was expected
        return;
      case "map": {
        const entries = Object.entries(value as Readonly<Record<string, unknown>>); // as above
        this.#count(entries.length);
        for (const [name, member] of entries) visit(schema.values, member, fieldToken(name));
        return;
      }
      case "list":
        this.#visitItems(schema, value as readonly unknown[], visit); // as above
    }
  }

  #visitMembers(schema: StructSchema, value: Readonly<Record<string, unknown>>, visit: Visit): void {
    for (const name of Object.keys(value)) {
      // The type of the object is not a field of it.
      if (this.#path.length === 0 && (name === "apiVersion" || name === "kind")) continue;
      const inner = schema.fields.get(name)?.schema ?? schema.open;
      if (inner === undefined) this.#report("field not declared in schema", fieldToken(name));
      else visit(inner, value[name], fieldToken(name));
    }
  }

  /** Items must be distinguishable. After one that is not, the others have no path. */
  #visitItems(schema: ListSchema, items: readonly unknown[], visit: Visit): void {
    this.#count(items.length);
    const plan = listPlan(schema);
    const seen = new Set<string>();
    for (let at = 0; at < items.length; at++) {
      const item = items[at];
      const problem = plan && unidentifiable(plan, item);
      if (problem !== undefined) {
        this.#report(`element ${at}: ${problem}`);
        return;
      }
      if (plan !== undefined && !isNew(plan, item, seen))
        this.#report(`duplicate entries for key ${showPath([plan.tokenOf(item)])}`);
      visit(schema.items, item, plan === undefined ? `i:${at}` : plan.tokenOf(item));
    }
  }

  #report(problem: string, ...steps: readonly string[]): void {
    if (this.problems.length >= problemsToldMax) return;
    const path = showPath([...this.#path, ...steps]).slice(0, pathCharsMax);
    this.problems.push(path === "" ? problem : `${path}: ${problem}`);
  }

  /** An applied object has the limit that any object has; it must be refused before it is merged and owned. */
  #count(members: number): void {
    this.#members += members;
    if (this.#members > membersMax)
      throw tooLarge(`an object may have at most ${membersMax} items of lists and keys of maps`);
  }
}

const pathCharsMax = 500;

function isNew(plan: ListPlan, item: unknown, seen: Set<string>): boolean {
  const identity = plan.identify(item);
  if (seen.has(identity)) return false;
  seen.add(identity);
  return true;
}
