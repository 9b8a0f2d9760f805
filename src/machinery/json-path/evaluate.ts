/** What a JSONPath finds in a value, in order. Missing members are skipped unless the caller requests an error. */

import { getOwn, isObject } from "../json/json-value.ts";
import { type JsonPath, type JsonPathStep, PathError } from "./parse.ts";
import { printFound } from "./print.ts";

/** How many values one path may visit: `......` in a large object would visit it again and again. */
export const pathVisitsMax = 100_000;

interface FindOptions {
  /** A missing member is an error. */
  readonly isStrict?: boolean;
  /** Default: pathVisitsMax. */
  readonly visitsMax?: number;
}

/** Throws PathError: an index beyond the end of a list, a comparison of a text with a number, too many values. */
export function findByPath(path: JsonPath, value: unknown, options: FindOptions = {}): readonly unknown[] {
  return new Search(value, options).follow(path, [value], options.isStrict === true);
}

class Search {
  readonly #root: unknown;
  readonly #visitsMax: number;
  #visits = 0;

  constructor(root: unknown, { visitsMax = pathVisitsMax }: FindOptions) {
    this.#root = root;
    this.#visitsMax = visitsMax;
  }

  follow(path: JsonPath, begin: readonly unknown[], isStrict: boolean): readonly unknown[] {
    let found = begin;
    for (const [index, step] of path.entries()) {
      // A path within a filter begins at the item, which "@" names; elsewhere "$" is the whole.
      if (step.at === "root") found = index === 0 ? found : [this.#root];
      // Most values below do not have the field.
      else found = this.#take(step, found, isStrict && path[index - 1]?.at !== "below");
    }
    return found;
  }

  #take(
    step: Exclude<JsonPathStep, { at: "root" }>,
    values: readonly unknown[],
    isStrict: boolean,
  ): readonly unknown[] {
    this.#count(values.length);
    switch (step.at) {
      case "value":
        return [step.value];
      case "field":
        return values.flatMap((value) => this.#field(value, step, isStrict));
      case "every":
        return values.flatMap((value) => this.#children(value));
      case "below":
        return values.flatMap((value) => this.#below(value));
      case "slice":
        return values.flatMap((value) => this.#slice(value, step));
      case "union":
        return step.paths.flatMap((path) => this.follow(path, values, isStrict));
      case "filter":
        return values.flatMap((value) => this.#filter(value, step));
    }
  }

  #field(
    value: unknown,
    { name, path }: Extract<JsonPathStep, { at: "field" }>,
    isStrict: boolean,
  ): readonly unknown[] {
    const member = isObject(value) ? getOwn(value, name) : undefined;
    if (member !== undefined) return [member];
    if (path !== undefined) return this.follow(path, [value], isStrict);
    if (isStrict && value !== null && value !== undefined) throw new PathError(`${name} is not found`);
    return [];
  }

  #children(value: unknown): readonly unknown[] {
    const children = Array.isArray(value) ? value : isObject(value) ? membersOf(value) : [];
    this.#count(children.length);
    return children;
  }

  #below(value: unknown): unknown[] {
    if (typeof value !== "object" || value === null) return [];
    const found: unknown[] = [value];
    for (const child of this.#children(value)) for (const inner of this.#below(child)) found.push(inner);
    return found;
  }

  #slice(value: unknown, { from = 0, to, by = 1, one }: Extract<JsonPathStep, { at: "slice" }>): readonly unknown[] {
    if (value === null || value === undefined) return [];
    if (!Array.isArray(value)) throw new PathError(`${shown(value)} is not array or slice`);
    const { length } = value;
    const begin = from < 0 ? from + length : from;
    if (one) {
      if (begin < 0 || begin >= length)
        throw new PathError(`array index out of bounds: index ${from}, length ${length}`);
      return [value[begin]];
    }
    if (by <= 0) throw new PathError("step must be > 0");
    const end = Math.min(length, to === undefined ? length : to < 0 ? to + length : to);
    const found: unknown[] = [];
    for (let at = Math.max(0, begin); at < end; at += by) found.push(value[at]);
    this.#count(found.length);
    return found;
  }

  #filter(value: unknown, { left, operator, right }: Extract<JsonPathStep, { at: "filter" }>): readonly unknown[] {
    if (value === null || value === undefined) return [];
    if (!Array.isArray(value)) throw new PathError(`${shown(value)} is not array or slice and cannot be filtered`);
    this.#count(value.length);
    return value.filter((item) => {
      const lefts = this.follow(left, [item], false);
      if (operator === "exists" || right === undefined) return lefts.length > 0;
      if (lefts.length === 0) return false;
      const rights = this.follow(right, [item], false);
      if (lefts.length > 1 || rights.length > 1) throw new PathError("can only compare one element at a time");
      return rights.length === 1 && compare(lefts[0], operator, rights[0]);
    });
  }

  #count(visits: number): void {
    this.#visits += visits;
    if (this.#visits > this.#visitsMax) throw new PathError("the path leads to too many values");
  }
}

/** In the order of their names: the same path shows the same values in the same order. */
function membersOf(value: Readonly<Record<string, unknown>>): unknown[] {
  return Object.keys(value)
    .sort()
    .map((name) => value[name]);
}

const shown = (value: unknown): string => printFound(value).slice(0, 64);

function compare(first: unknown, operator: string, second: unknown): boolean {
  // A number that a double does not hold may come as an object.
  const [left, right] = [first, second].map((value) => (value instanceof Number ? Number(value) : value));
  const isNumber = (value: unknown) => typeof value === "number" || typeof value === "bigint";
  const areNumbers = isNumber(left) && isNumber(right);
  if (!areNumbers && typeof left !== typeof right) throw new PathError("incompatible types for comparison");
  // biome-ignore lint/suspicious/noDoubleEquals: a bigint and a number are the same value
  const same = areNumbers ? left == right : left === right;
  if (operator === "==") return same;
  if (operator === "!=") return !same;
  if (!areNumbers && typeof left !== "string") throw new PathError("invalid type for comparison");
  const [a, b] = [left as string, right as string]; // or two numbers, which compare in the same way
  return operator === "<" ? a < b : operator === "<=" ? a <= b : operator === ">" ? a > b : a >= b;
}
