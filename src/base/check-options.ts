/** Checks what callers pass: an option that is misspelled or has a value without sense would otherwise be one that has no effect. */

import { didYouMean } from "./suggest.ts";

/** What is wrong with a value, as the rest of a sentence about it (`.times[0] must be a number`); undefined: nothing. */
export type OptionRule = (value: unknown) => string | undefined;

/** A rule for each option; the type checker finds one that is missing. */
export type OptionShape<T> = { readonly [K in keyof T]-?: OptionRule };

/**
 * Throws a TypeError that names the function, the option and what is allowed. An option that is undefined is absent. Values are not repeated
 * but for names and numbers: they may be secrets.
 */
export function checkOptions<T extends object>(what: string, options: T, shape: OptionShape<T>): void {
  const problem = problemOf(options, shape);
  if (problem !== undefined)
    throw new TypeError(`${what}${problem.startsWith(".") ? `: ${problem.slice(1)}` : problem}`);
}

/** For an object whose members are options again. */
export const options =
  <T extends object>(shape: OptionShape<T>): OptionRule =>
  (value) =>
    problemOf(value, shape);

/** The same, and it must be there. */
export const required = (rule: OptionRule): OptionRule =>
  Object.assign((value: unknown) => rule(value), { isRequired: true });

export const anything: OptionRule = () => undefined;
export const flag: OptionRule = (value) =>
  typeof value === "boolean" ? undefined : ` must be true or false, not ${shown(value)}`;
export const text: OptionRule = (value) =>
  typeof value === "string" ? undefined : ` must be a text, not ${shown(value)}`;
export const filled: OptionRule = (value) =>
  typeof value === "string" && value !== "" ? undefined : ` must be a text that is not empty, not ${shown(value)}`;
export const callable: OptionRule = (value) =>
  typeof value === "function" ? undefined : ` must be a function, not ${shown(value)}`;
export const anObject: OptionRule = (value) =>
  isObject(value) ? undefined : ` must be an object, not ${shown(value)}`;

/** A number of things. */
export const count =
  (least: number): OptionRule =>
  (value) =>
    Number.isSafeInteger(value) && Number(value) >= least
      ? undefined
      : ` must be a whole number of at least ${least}, not ${shown(value)}`;

/** A time in milliseconds, or another amount. */
export const amount =
  (least: number): OptionRule =>
  (value) =>
    typeof value === "number" && value >= least && value < Number.POSITIVE_INFINITY
      ? undefined
      : ` must be a number of at least ${least}, not ${shown(value)}`;

export const oneOf =
  (...words: readonly string[]): OptionRule =>
  (value) => {
    if (typeof value === "string" && words.includes(value)) return undefined;
    const list = words.map((word) => JSON.stringify(word)).join(" or ");
    return ` must be ${list}, not ${shown(value)}${typeof value === "string" ? didYouMean(value, words) : ""}`;
  };

export const listOf =
  (rule: OptionRule): OptionRule =>
  (value) => {
    if (!Array.isArray(value)) return ` must be a list, not ${shown(value)}`;
    return firstProblem(value.map((item: unknown, at) => [`[${at}]`, item, rule]));
  };

/** Members with any names. */
export const mapOf =
  (rule: OptionRule): OptionRule =>
  (value) => {
    if (!isObject(value)) return ` must be an object, not ${shown(value)}`;
    return firstProblem(Object.entries(value).map(([name, item]) => [`.${name}`, item, rule]));
  };

/** An object that can do something: `able("fetch")`. */
export const able =
  (...names: readonly string[]): OptionRule =>
  (value) => {
    const missing = names.find((name) => !isObject(value) || typeof value[name] !== "function");
    return missing === undefined ? undefined : ` must have a function "${missing}"`;
  };

/** What one of the rules takes; `must`: what is said otherwise. */
export const either =
  (must: string, ...rules: readonly OptionRule[]): OptionRule =>
  (value) =>
    rules.some((rule) => rule(value) === undefined) ? undefined : ` must be ${must}, not ${shown(value)}`;

function problemOf<T extends object>(value: unknown, shape: OptionShape<T>): string | undefined {
  if (!isObject(value)) return ` must be an object, not ${shown(value)}`;
  const rules = shape as Readonly<Record<string, OptionRule & { readonly isRequired?: boolean }>>; // its names are texts
  const names = Object.keys(rules);
  // Options may be members of an object of the caller's own class, whose other members are its own matter.
  const isPlain = [Object.prototype, null].includes(Object.getPrototypeOf(value));
  for (const name of isPlain ? Object.keys(value) : [])
    if (!Object.hasOwn(rules, name))
      return ` has no option "${name}"${didYouMean(name, names) || `; there are ${names.join(", ")}`}`;
  return firstProblem(names.map((name) => [`.${name}`, value[name], ifGiven(rules[name] ?? anything)]));
}

const ifGiven =
  (rule: OptionRule & { readonly isRequired?: boolean }): OptionRule =>
  (value) =>
    value !== undefined ? rule(value) : rule.isRequired ? " is needed" : undefined;

function firstProblem(parts: readonly (readonly [at: string, value: unknown, rule: OptionRule])[]): string | undefined {
  for (const [at, value, rule] of parts) {
    const problem = rule(value);
    if (problem !== undefined) return at + problem;
  }
  return undefined;
}

const shownCharsMax = 40;

/** Values of words are shown where they may be misspelled; longer ones may be anything. */
function shown(value: unknown): string {
  if (typeof value === "string") return value.length <= shownCharsMax ? JSON.stringify(value) : "a longer text";
  if (typeof value === "number" || typeof value === "boolean" || value === null || value === undefined)
    return String(value);
  return Array.isArray(value) ? "a list" : typeof value === "object" ? "an object" : `a ${typeof value}`;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
