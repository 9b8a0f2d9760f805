/** Reads the configuration of an apply: part of an object, in which what is absent stays absent. */

import type { Steps } from "../../base/time-slice.ts";
import { isObject } from "../json/json-value.ts";
import { isSmall, valuesPerStep } from "../json/parts.ts";
import { membersMax } from "../schema/decode.ts";
import type { ListSchema, Schema, StructSchema } from "../schema/schema.ts";
import { badRequest, tooLarge } from "../status/status.ts";
import { indexItems } from "./compare.ts";
import { listPlan, Unidentified } from "./topology.ts";

/**
 * The value itself, once it is known to fit the schema. Nothing is defaulted or made canonical, since apply
 * compares what was sent: "1000m" is another value than "1" to its owner. null is allowed everywhere and owns the
 * field. Throws a badRequest that names the path for a field that the schema does not know, for a value of another type,
 * and for items that cannot be distinguished.
 */
export function* decodePartial(schema: StructSchema, value: unknown): Steps<Record<string, unknown>> {
  if (!isObject(value)) throw badRequest("the configuration must be an object");
  yield* new Check().inSteps(schema, value, "");
  return value;
}

type Part = [schema: Schema, value: unknown, path: string];

class Check {
  /** Members of the configuration so far. */
  #members = 0;

  /** Large parts in steps, others at once. */
  *inSteps(schema: Schema, value: unknown, path: string): Steps<void> {
    if (schema.type === "json" || isSmall(value)) return this.#atOnce(schema, value, path);
    const parts: Part[] = [];
    this.#visit(schema, value, path, (...part) => parts.push(part));
    for (const [at, [inner, part, place]] of parts.entries()) {
      if (isSmall(part)) this.#atOnce(inner, part, place);
      else yield* this.inSteps(inner, part, place);
      if ((at + 1) % valuesPerStep === 0) yield;
    }
    if (schema.type === "list") checkItems(schema, value, path);
  }

  readonly #atOnce = (schema: Schema, value: unknown, path: string): void => {
    if (value === null || schema.type === "json") return;
    this.#visit(schema, value, path, this.#atOnce);
    if (schema.type === "list") checkItems(schema, value, path);
  };

  /** Visits the parts of a value, once it is known to be of the right type. */
  #visit(schema: Schema, value: unknown, path: string, visit: (...part: Part) => void): void {
    switch (schema.type) {
      case "struct":
        if (!isObject(value)) throw misfit(path, "an object", value);
        for (const name of Object.keys(value)) {
          // The type of the object is not a field of it.
          if (path === "" && (name === "apiVersion" || name === "kind")) continue;
          const inner = schema.fields.get(name)?.schema ?? schema.open;
          if (inner === undefined) throw badRequest(`${at(path, name)}: the schema has no such field`);
          visit(inner, value[name], at(path, name));
        }
        return;
      case "map": {
        if (!isObject(value)) throw misfit(path, "an object", value);
        const names = Object.keys(value);
        this.#count(names.length);
        for (const name of names) visit(schema.values, value[name], at(path, name));
        return;
      }
      case "list":
        if (!Array.isArray(value)) throw misfit(path, "a list", value);
        this.#count(value.length);
        value.forEach((item, index) => {
          visit(schema.items, item, `${path}[${index}]`);
        });
        return;
      case "json":
        return;
      default:
        checkScalar(schema.type, value, path);
    }
  }

  /** An applied object has the limit that any object has; it must be refused before it is merged and owned. */
  #count(members: number): void {
    this.#members += members;
    if (this.#members > membersMax)
      throw tooLarge(`an object may have at most ${membersMax} items of lists and keys of maps`);
  }
}

function checkItems(schema: ListSchema, value: unknown, path: string): void {
  const plan = listPlan(schema);
  if (plan === undefined) return;
  try {
    indexItems(plan, value);
  } catch (problem) {
    if (problem instanceof Unidentified) throw badRequest(`${path}: ${problem.message}`);
    throw problem;
  }
}

function checkScalar(type: Exclude<Schema["type"], "struct" | "map" | "list" | "json">, value: unknown, path: string) {
  switch (type) {
    case "string":
    case "bytes":
    case "duration":
      if (typeof value !== "string") throw misfit(path, "a string", value);
      return;
    case "bool":
      if (typeof value !== "boolean") throw misfit(path, "true or false", value);
      return;
    case "int32":
    case "int64":
    case "uint32":
    case "double":
      if (typeof value !== "number" && typeof value !== "bigint") throw misfit(path, "a number", value);
      return;
    case "quantity":
    case "intOrString":
    case "time":
    case "microTime":
      if (typeof value === "object") throw misfit(path, "a scalar", value);
  }
}

const pathCharsMax = 500;
const at = (path: string, name: string) => (path === "" ? name : `${path}.${name}`).slice(0, pathCharsMax);

function misfit(path: string, wanted: string, value: unknown) {
  const got = Array.isArray(value) ? "a list" : typeof value === "object" ? "an object" : `a ${typeof value}`;
  return badRequest(`${path}: must be ${wanted}, not ${got}`);
}
