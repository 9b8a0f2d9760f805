/** Whether a value has everything that an expected one has, and where it has not. */

import { isDeepStrictEqual } from "node:util";
import { isObject } from "../../machinery/json/json-value.ts";

/** How many differences are named. */
const differencesMax = 10;
/** Longer values are cut off. */
const shownCharsMax = 200;

export const isSubset = (expected: unknown, actual: unknown): boolean => differences(expected, actual).length === 0;

/** One line for each: "status.replicas: expected 3, was 2". */
export function differences(expected: unknown, actual: unknown): string[] {
  const found: string[] = [];
  compare(expected, actual, "", found);
  if (found.length <= differencesMax) return found;
  return [...found.slice(0, differencesMax), `and ${found.length - differencesMax} more`];
}

/** Of a value, what an expected one names. */
export function named(expected: unknown, actual: unknown): unknown {
  if (!isObject(expected) || isMatcher(expected) || !isObject(actual)) return actual;
  const members = Object.entries(expected).filter(([key]) => Object.hasOwn(actual, key));
  return Object.fromEntries(members.map(([key, value]) => [key, named(value, actual[key])]));
}

function compare(expected: unknown, actual: unknown, path: string, found: string[]): void {
  if (isMatcher(expected)) {
    if (!expected.asymmetricMatch(actual)) found.push(`${path}: expected ${String(expected)}, was ${shown(actual)}`);
  } else if (isObject(expected) && isObject(actual)) {
    for (const [key, value] of Object.entries(expected))
      compare(value, Object.hasOwn(actual, key) ? actual[key] : undefined, path === "" ? key : `${path}.${key}`, found);
  } else if (Array.isArray(expected) && Array.isArray(actual) && expected.length === actual.length) {
    for (const [at, value] of expected.entries()) compare(value, actual[at], `${path}[${at}]`, found);
  } else if (!isDeepStrictEqual(expected, actual))
    found.push(`${path}: expected ${shown(expected)}, was ${shown(actual)}`);
}

/** `expect.any(String)` and its like, of vitest and jest. */
function isMatcher(value: unknown): value is { asymmetricMatch(actual: unknown): boolean } {
  return typeof value === "object" && value !== null && "asymmetricMatch" in value;
}

function shown(value: unknown): string {
  const text = value === undefined ? "absent" : (JSON.stringify(value) ?? String(value));
  return text.length > shownCharsMax ? `${text.slice(0, shownCharsMax)} ...` : text;
}
