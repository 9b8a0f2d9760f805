/** Sorts objects by the value of a field, as --sort-by does. */

import { type JsonPath, parseJsonPath } from "../../machinery/json-path/parse.ts";
import { compareQuantities, parseQuantity } from "../../machinery/values/quantity.ts";
import { CtlError } from "../errors.ts";
import type { Json } from "../json.ts";
import { find } from "./json-path.ts";

const relaxed = /^\{\.?([^{}]+)\}$|^\.?([^{}]+)$/;

/** `a.b`, `.a.b`, `{a.b}` and `{.a.b}` mean the same. */
function fieldPath(expression: string): string {
  if (expression === "") return "";
  const match = relaxed.exec(expression);
  const path = match?.[1] ?? match?.[2];
  if (path === undefined)
    throw new CtlError(
      `unexpected path string, expected a 'name1.name2' or '.name1.name2' or '{name1.name2}' or '{.name1.name2}'`,
    );
  return `{.${path}}`;
}

export function pathSteps(expression: string): JsonPath {
  return parseJsonPath(fieldPath(expression).slice(1, -1));
}

export function sortObjects(objects: readonly Json[], expression: string): Json[] {
  return sortBy(objects, expression, (object) => object);
}

export function sortBy<T>(items: readonly T[], expression: string, objectOf: (item: T) => unknown): T[] {
  const steps = pathSteps(expression);
  const keyed = items.map((item) => {
    const object = objectOf(item);
    return { item, key: find(steps, object)[0] };
  });
  if (keyed.length > 0 && keyed.every(({ key }) => key === undefined))
    throw new CtlError(`couldn't find any field with path "${fieldPath(expression)}" in the list of objects`);
  return keyed.sort((a, b) => compare(a.key, b.key)).map(({ item }) => item);
}

/** Missing values come first; quantities are compared by amount, and texts with numbers by their numbers. */
function compare(a: unknown, b: unknown): number {
  if (a === undefined || a === null) return b === undefined || b === null ? 0 : -1;
  if (b === undefined || b === null) return 1;
  if (isNumber(a) && isNumber(b)) return a < b ? -1 : a > b ? 1 : 0;
  const [x, y] = [String(a), String(b)];
  const [left, right] = [parseQuantity(x), parseQuantity(y)];
  if (left !== undefined && right !== undefined) return compareQuantities(left, right);
  return naturally(x, y);
}

function naturally(a: string, b: string): number {
  const [x, y] = [a, b].map((text) => text.match(/\d+|\D+/g) ?? []);
  for (let at = 0; at < Math.min(x?.length ?? 0, y?.length ?? 0); at++) {
    const [left = "", right = ""] = [x?.[at], y?.[at]];
    if (left === right) continue;
    const bothNumbers = /^\d/.test(left) && /^\d/.test(right);
    if (bothNumbers && BigInt(left) !== BigInt(right)) return BigInt(left) < BigInt(right) ? -1 : 1;
    return left < right ? -1 : 1;
  }
  return a.length - b.length;
}

const isNumber = (value: unknown): value is number | bigint => typeof value === "number" || typeof value === "bigint";
