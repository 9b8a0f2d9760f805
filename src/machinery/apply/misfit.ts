/** Why a value of a configuration does not fit its schema, in the words that programs match on. */

import { isObject } from "../json/json-value.ts";
import type { Schema } from "../schema/schema.ts";
import { type ListPlan, Unidentified } from "./topology.ts";

/** Undefined: the value is of the type that the schema says. Its parts are not looked at. */
export function expected(schema: Schema, value: unknown): string | undefined {
  switch (schema.type) {
    case "struct":
    case "map":
      return isObject(value) ? undefined : `expected map, got &{${plainText(value)}}`;
    case "list":
      return Array.isArray(value) ? undefined : `expected list, got &{${plainText(value)}}`;
    case "json":
      return undefined;
    case "string":
    case "bytes":
    case "duration":
      return typeof value === "string"
        ? undefined
        : `expected string, got &value.valueUnstructured{Value:${syntax(value)}}`;
    case "bool":
      return typeof value === "boolean" ? undefined : `expected boolean, got &{${plainText(value)}}`;
    case "int32":
    case "int64":
    case "uint32":
    case "double": {
      const isNumber = typeof value === "number" || typeof value === "bigint";
      return isNumber ? undefined : `expected numeric (int or float), got ${typeName(value)}`;
    }
    case "quantity":
    case "intOrString":
    case "time":
    case "microTime":
      return typeof value !== "object" ? undefined : `expected any scalar, got &{${plainText(value)}}`;
  }
}

/** Undefined: the item can be distinguished from others. */
export function unidentifiable(plan: ListPlan, item: unknown): string | undefined {
  try {
    plan.identify(item);
    return undefined;
  } catch (problem) {
    if (!(problem instanceof Unidentified)) throw problem;
  }
  if (plan.keys === undefined) return inSet(item);
  if (item === null) return "associative list with keys may not have a null element";
  if (!isObject(item)) return "associative list with keys may not have non-map elements";
  const keys = plan.keys.map((key) => JSON.stringify(key)).join(" ");
  return `associative list with keys has an element that omits all key fields [${keys}] (and doesn't have default values for any key fields)`;
}

function inSet(item: unknown): string {
  if (item === null || item === undefined)
    return "associative list without keys has an element that's an explicit null";
  return Array.isArray(item)
    ? "not supported: associative list with lists as elements"
    : "associative list without keys has an element that's a map type";
}

/** As many characters of a value as a message shows. */
const shownCharsMax = 200;

/** A value as Go prints it: [a 1], map[a:1]. */
const plainText = (value: unknown): string =>
  print(value, {
    text: String,
    none: "<nil>",
    list: (items) => `[${items.join(" ")}]`,
    map: (all) => `map[${all.join(" ")}]`,
  });

/** A value as it is written in Go: []interface {}{"a", 1}. */
const syntax = (value: unknown): string =>
  print(value, {
    text: (text) => JSON.stringify(text),
    none: "interface {}(nil)",
    list: (items) => `[]interface {}{${items.join(", ")}}`,
    map: (all) => `map[string]interface {}{${all.join(", ")}}`,
  });

interface Notation {
  text(text: string): string;
  readonly none: string;
  list(items: readonly string[]): string;
  map(entries: readonly string[]): string;
}

/** How deep a message looks into a value. */
const depthMax = 8;

function print(value: unknown, notation: Notation, depth = 0): string {
  const inside = (one: unknown) => (depth < depthMax ? print(one, notation, depth + 1) : "…");
  const shown = (): string => {
    if (value === null || value === undefined) return notation.none;
    if (typeof value === "string") return notation.text(value.slice(0, shownCharsMax));
    if (Array.isArray(value)) return notation.list(value.slice(0, shownCharsMax).map(inside));
    if (!isObject(value)) return String(value);
    const names = Object.keys(value).sort().slice(0, shownCharsMax);
    return notation.map(names.map((name) => `${notation.text(name)}:${inside(value[name])}`));
  };
  return shown().slice(0, shownCharsMax);
}

function typeName(value: unknown): string {
  if (typeof value === "boolean") return "bool";
  if (typeof value !== "object") return typeof value;
  return Array.isArray(value) ? "[]interface {}" : "map[string]interface {}";
}
