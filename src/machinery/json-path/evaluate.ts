/** What a JSONPath finds in a value, in order. Missing members are skipped, and are not an error. */

import { getOwn, isObject } from "../schema/json-value.ts";
import { type JsonPath, PathError, type Step } from "./parse.ts";

/** How many values one path may visit: `......` in a large object would visit it again and again. */
export const pathVisitsMax = 100_000;

/** Throws PathError: an index beyond the end of a list, a comparison of a text with a number, too many values. */
export function findByPath(path: JsonPath, value: unknown): readonly unknown[] {
  return new Search(value).follow(path, [value]);
}

class Search {
  readonly #root: unknown;
  #visits = 0;

  constructor(root: unknown) {
    this.#root = root;
  }

  follow(path: JsonPath, begin: readonly unknown[]): readonly unknown[] {
    let found = begin;
    for (const [index, step] of path.entries()) {
      // A path within a filter begins at the item, which "@" names; elsewhere "$" is the whole.
      if (step.at === "root") found = index === 0 ? found : [this.#root];
      else found = this.#take(step, found);
    }
    return found;
  }

  #take(step: Exclude<Step, { at: "root" }>, values: readonly unknown[]): readonly unknown[] {
    this.#count(values.length);
    switch (step.at) {
      case "value":
        return [step.value];
      case "field":
        return values.flatMap((value) => this.#field(value, step.name));
      case "every":
        return values.flatMap((value) => this.#children(value));
      case "below":
        return values.flatMap((value) => this.#below(value));
      case "slice":
        return values.flatMap((value) => this.#slice(value, step));
      case "union":
        return step.paths.flatMap((path) => this.follow(path, values));
      case "filter":
        return values.flatMap((value) => this.#filter(value, step));
    }
  }

  #field(value: unknown, name: string): readonly unknown[] {
    const member = isObject(value) ? getOwn(value, name) : undefined;
    return member === undefined ? [] : [member];
  }

  #children(value: unknown): readonly unknown[] {
    const children = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : [];
    this.#count(children.length);
    return children;
  }

  #below(value: unknown): unknown[] {
    if (typeof value !== "object" || value === null) return [];
    const found: unknown[] = [value];
    for (const child of this.#children(value)) for (const inner of this.#below(child)) found.push(inner);
    return found;
  }

  #slice(value: unknown, { from = 0, to, by = 1, one }: Extract<Step, { at: "slice" }>): readonly unknown[] {
    if (value === null || value === undefined) return [];
    if (!Array.isArray(value)) throw new PathError("an index is only for lists");
    const { length } = value;
    const begin = from < 0 ? from + length : from;
    if (one) {
      if (begin < 0 || begin >= length) throw new PathError(`the index ${from} is beyond the list`);
      return [value[begin]];
    }
    if (by <= 0) throw new PathError("a slice must go forward");
    const end = Math.min(length, to === undefined ? length : to < 0 ? to + length : to);
    const found: unknown[] = [];
    for (let at = Math.max(0, begin); at < end; at += by) found.push(value[at]);
    this.#count(found.length);
    return found;
  }

  #filter(value: unknown, { left, operator, right }: Extract<Step, { at: "filter" }>): readonly unknown[] {
    if (value === null || value === undefined) return [];
    if (!Array.isArray(value)) throw new PathError("a filter is only for lists");
    this.#count(value.length);
    return value.filter((item) => {
      const lefts = this.follow(left, [item]);
      if (operator === "exists" || right === undefined) return lefts.length > 0;
      if (lefts.length === 0) return false;
      const rights = this.follow(right, [item]);
      if (lefts.length > 1 || rights.length > 1) throw new PathError("only one value can be compared with one");
      return rights.length === 1 && compare(lefts[0], operator, rights[0]);
    });
  }

  #count(visits: number): void {
    this.#visits += visits;
    if (this.#visits > pathVisitsMax) throw new PathError("the path leads to too many values");
  }
}

function compare(left: unknown, operator: string, right: unknown): boolean {
  const isNumber = (value: unknown) => typeof value === "number" || typeof value === "bigint";
  const areNumbers = isNumber(left) && isNumber(right);
  if (!areNumbers && typeof left !== typeof right) throw new PathError("values of different types are not comparable");
  // biome-ignore lint/suspicious/noDoubleEquals: a bigint and a number are the same value
  const same = areNumbers ? left == right : left === right;
  if (operator === "==") return same;
  if (operator === "!=") return !same;
  if (!areNumbers && typeof left !== "string") throw new PathError("only numbers and texts have an order");
  const [a, b] = [left as string, right as string]; // or two numbers, which compare in the same way
  return operator === "<" ? a < b : operator === "<=" ? a <= b : operator === ">" ? a > b : a >= b;
}
