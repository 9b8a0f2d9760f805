/** Reads the configuration of an apply: part of an object, in which what is absent stays absent. */

import { membersMax } from "../schema/decode.ts";
import { isObject } from "../schema/json-value.ts";
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
export function decodePartial(schema: StructSchema, value: unknown): Record<string, unknown> {
  if (!isObject(value)) throw badRequest("the configuration must be an object");
  members = 0;
  check(schema, value, "");
  return value;
}

/** Members of the configuration that is being checked. */
let members = 0;

/** An applied object has the limit that any object has; it must be refused before it is merged and owned. */
function countMembers(count: number): void {
  members += count;
  if (members > membersMax) throw tooLarge(`an object may have at most ${membersMax} items of lists and keys of maps`);
}

function check(schema: Schema, value: unknown, path: string): void {
  if (value === null) return;
  switch (schema.type) {
    case "struct":
      if (!isObject(value)) throw misfit(path, "an object", value);
      for (const name of Object.keys(value)) {
        // The type of the object is not a field of it.
        if (path === "" && (name === "apiVersion" || name === "kind")) continue;
        const field = schema.fields.get(name);
        const inner = field?.schema ?? schema.open;
        if (inner === undefined) throw badRequest(`${at(path, name)}: the schema has no such field`);
        check(inner, value[name], at(path, name));
      }
      return;
    case "map":
      if (!isObject(value)) throw misfit(path, "an object", value);
      countMembers(Object.keys(value).length);
      for (const name of Object.keys(value)) check(schema.values, value[name], at(path, name));
      return;
    case "list":
      if (!Array.isArray(value)) throw misfit(path, "a list", value);
      countMembers(value.length);
      value.forEach((item, i) => {
        check(schema.items, item, `${path}[${i}]`);
      });
      checkItems(schema, value, path);
      return;
    case "json":
      return;
    default:
      checkScalar(schema.type, value, path);
  }
}

function checkItems(schema: ListSchema, value: readonly unknown[], path: string): void {
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
