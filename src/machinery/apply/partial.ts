/** Reads the configuration of an apply: part of an object, in which what is absent stays absent. */

import type { Steps } from "../../base/time-slice.ts";
import { isObject } from "../json/json-value.ts";
import { isSmall, valuesPerStep } from "../json/parts.ts";
import { membersMax } from "../schema/decode-tally.ts";
import type { ListSchema, Schema, StructSchema } from "../schema/schema.ts";
import { badRequest, tooLarge } from "../status/status.ts";
import { checkDistinct } from "./compare.ts";
import { listPlan, Unidentified } from "./topology.ts";

/**
 * The value itself, once it is known to fit the schema. Nothing is defaulted or made canonical, since apply
 * compares what was sent: "1000m" is another value than "1" to its owner. null is allowed everywhere and owns the
 * field. Throws a badRequest that names the path for a field that the schema does not know, for a value of another type,
 * and for items that cannot be distinguished.
 */
export function* decodePartial(schema: StructSchema, value: unknown): Steps<Record<string, unknown>> {
  if (!isObject(value)) throw badRequest("the configuration must be an object");
  yield* new Check().inSteps(schema, value);
  return value;
}

type Visit = (schema: Schema, value: unknown, step: string | number) => void;

class Check {
  /** Members of the configuration so far. */
  #members = 0;
  /** The way to what is being checked: names of members and indexes of items. It becomes a text only if there is a problem. */
  readonly #path: (string | number)[] = [];

  /** Large parts in steps, others at once. */
  *inSteps(schema: Schema, value: unknown): Steps<void> {
    if (schema.type === "json" || isSmall(value)) return this.#atOnce(schema, value);
    const parts: Parameters<Visit>[] = [];
    this.#visit(schema, value, (...part) => parts.push(part));
    for (const [at, [inner, part, step]] of parts.entries()) {
      this.#path.push(step);
      if (isSmall(part)) this.#atOnce(inner, part);
      else yield* this.inSteps(inner, part);
      this.#path.pop();
      if ((at + 1) % valuesPerStep === 0) yield;
    }
    if (schema.type === "list") this.#items(schema, value);
  }

  #atOnce(schema: Schema, value: unknown): void {
    if (value === null || schema.type === "json") return;
    this.#visit(schema, value, this.#inside);
    if (schema.type === "list") this.#items(schema, value);
  }

  readonly #inside: Visit = (schema, value, step) => {
    this.#path.push(step);
    this.#atOnce(schema, value);
    this.#path.pop();
  };

  /** Visits the parts of a value, once it is known to be of the right type. */
  #visit(schema: Schema, value: unknown, visit: Visit): void {
    switch (schema.type) {
      case "struct":
        if (!isObject(value)) throw misfit(this.#path, "an object", value);
        for (const name of Object.keys(value)) {
          // The type of the object is not a field of it.
          if (this.#path.length === 0 && (name === "apiVersion" || name === "kind")) continue;
          const inner = schema.fields.get(name)?.schema ?? schema.open;
          if (inner === undefined) throw badRequest(`${textOf([...this.#path, name])}: the schema has no such field`);
          visit(inner, value[name], name);
        }
        return;
      case "map": {
        if (!isObject(value)) throw misfit(this.#path, "an object", value);
        const names = Object.keys(value);
        this.#count(names.length);
        for (const name of names) visit(schema.values, value[name], name);
        return;
      }
      case "list":
        if (!Array.isArray(value)) throw misfit(this.#path, "a list", value);
        this.#count(value.length);
        for (let at = 0; at < value.length; at++) visit(schema.items, value[at], at);
        return;
      case "json":
        return;
      default:
        if (!isScalar(schema.type, value)) throw misfit(this.#path, scalarNames[schema.type], value);
    }
  }

  /** An applied object has the limit that any object has; it must be refused before it is merged and owned. */
  #count(members: number): void {
    this.#members += members;
    if (this.#members > membersMax)
      throw tooLarge(`an object may have at most ${membersMax} items of lists and keys of maps`);
  }

  /** Items must be distinguishable. */
  #items(schema: ListSchema, value: unknown): void {
    const plan = listPlan(schema);
    if (plan === undefined || !Array.isArray(value)) return;
    try {
      checkDistinct(plan, value);
    } catch (problem) {
      if (problem instanceof Unidentified) throw badRequest(`${textOf(this.#path)}: ${problem.message}`);
      throw problem;
    }
  }
}

type ScalarType = Exclude<Schema["type"], "struct" | "map" | "list" | "json">;

const scalarNames: Readonly<Record<ScalarType, string>> = {
  string: "a string",
  bytes: "a string",
  duration: "a string",
  bool: "true or false",
  int32: "a number",
  int64: "a number",
  uint32: "a number",
  double: "a number",
  quantity: "a scalar",
  intOrString: "a scalar",
  time: "a scalar",
  microTime: "a scalar",
};

function isScalar(type: ScalarType, value: unknown): boolean {
  switch (type) {
    case "string":
    case "bytes":
    case "duration":
      return typeof value === "string";
    case "bool":
      return typeof value === "boolean";
    case "int32":
    case "int64":
    case "uint32":
    case "double":
      return typeof value === "number" || typeof value === "bigint";
    case "quantity":
    case "intOrString":
    case "time":
    case "microTime":
      return typeof value !== "object";
  }
}

const pathCharsMax = 500;

function textOf(path: readonly (string | number)[]): string {
  let text = "";
  for (const step of path) {
    text += typeof step === "number" ? `[${step}]` : text === "" ? step : `.${step}`;
    if (text.length > pathCharsMax) return text.slice(0, pathCharsMax);
  }
  return text;
}

function misfit(path: readonly (string | number)[], wanted: string, value: unknown) {
  const got = Array.isArray(value) ? "a list" : typeof value === "object" ? "an object" : `a ${typeof value}`;
  return badRequest(`${textOf(path)}: must be ${wanted}, not ${got}`);
}
