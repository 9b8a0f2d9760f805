/** Runs a JSONPath template on an object. */

import { CtlError } from "../../errors.ts";
import { isJson } from "../../json.ts";
import { goJson } from "../go-json.ts";
import type { Operand, Step, TemplateNode } from "./parse.ts";

export interface JsonPathOptions {
  readonly allowMissing: boolean;
  /** Print every result as one JSON list. */
  readonly asJson?: boolean;
}

export function runJsonPath(nodes: readonly TemplateNode[], root: unknown, options: JsonPathOptions): string {
  if (options.asJson) {
    const results = nodes.flatMap((node) => (node.at === "path" ? evaluate(node.steps, root, root, options) : []));
    return `${JSON.stringify(results, null, 4)}\n`;
  }
  return print(nodes, root, root, options);
}

function print(nodes: readonly TemplateNode[], current: unknown, root: unknown, options: JsonPathOptions): string {
  let text = "";
  for (const node of nodes) {
    if (node.at === "text") text += node.text;
    else if (node.at === "path")
      text += evaluate(node.steps, node.isRoot ? root : current, root, options)
        .map(shown)
        .join(" ");
    else {
      const found = evaluate(node.path, node.isRoot ? root : current, root, options);
      // A range over one list goes through its items.
      for (const item of found.flatMap((value) => (found.length === 1 && Array.isArray(value) ? value : [value])))
        text += print(node.body, item, root, options);
    }
  }
  return text;
}

function shown(value: unknown): string {
  return typeof value === "string" ? value : value === null || value === undefined ? "null" : goJson(value);
}

/** All values at the path, in order. */
export function evaluate(steps: readonly Step[], start: unknown, root: unknown, options: JsonPathOptions): unknown[] {
  let values: unknown[] = [start];
  let isAnywhere = false;
  for (const step of steps) {
    // Most of what is below has not the field that is looked for.
    const lenient = isAnywhere ? { ...options, allowMissing: true } : options;
    values = values.flatMap((value) => take(step, value, root, lenient));
    isAnywhere = step.at === "recursive";
  }
  return values;
}

function take(step: Step, value: unknown, root: unknown, options: JsonPathOptions): unknown[] {
  switch (step.at) {
    case "field":
      if (isJson(value)) {
        if (Object.hasOwn(value, step.name)) return [value[step.name]];
        if (options.allowMissing) return [];
        throw new CtlError(`${step.name} is not found`);
      }
      if (value === null || value === undefined || options.allowMissing) return [];
      throw new CtlError(`${step.name} is not found`);
    case "wildcard":
      return Array.isArray(value) ? value : isJson(value) ? valuesOf(value) : [];
    case "recursive":
      return descendants(value);
    case "slice":
      return slice(step, value, options);
    case "union":
      return step.parts.flatMap((part) => evaluate(part, value, root, options));
    case "filter": {
      const items = Array.isArray(value) ? value : isJson(value) ? valuesOf(value) : [];
      return items.filter((item) => isChosen(step, item, root));
    }
  }
}

function valuesOf(value: Record<string, unknown>): unknown[] {
  return Object.keys(value)
    .sort()
    .map((key) => value[key]);
}

/** The value and everything below it that has members or items, so that a field is looked for in all of them. */
function descendants(value: unknown): unknown[] {
  if (Array.isArray(value)) return [value, ...value.flatMap(descendants)];
  return isJson(value) ? [value, ...valuesOf(value).flatMap(descendants)] : [];
}

function slice(step: Extract<Step, { at: "slice" }>, value: unknown, options: JsonPathOptions): unknown[] {
  if (!Array.isArray(value)) {
    if (value === null || value === undefined || options.allowMissing) return [];
    throw new CtlError("is not array or slice");
  }
  const { length } = value;
  const fromEnd = (at: number) => (at < 0 ? at + length : at);
  if (step.isIndex) {
    const at = fromEnd(step.start ?? 0);
    if (at < 0 || at >= length) throw new CtlError(`array index out of bounds: index ${step.start}, length ${length}`);
    return [value[at]];
  }
  const start = Math.max(0, fromEnd(step.start ?? 0));
  const end = Math.min(length, step.end === undefined ? length : fromEnd(step.end));
  const stride = step.step ?? 1;
  if (stride <= 0) throw new CtlError("step must be > 0");
  const found: unknown[] = [];
  for (let at = start; at < end; at += stride) found.push(value[at]);
  return found;
}

function isChosen(step: Extract<Step, { at: "filter" }>, item: unknown, root: unknown): boolean {
  const left = operand(step.left, item, root);
  if (step.operator === "exists") return left.length > 0;
  const right = step.right === undefined ? [] : operand(step.right, item, root);
  const [a, b] = [left[0], right[0]];
  if (left.length === 0 || right.length === 0) return false;
  switch (step.operator) {
    case "==":
      return same(a, b);
    case "!=":
      return !same(a, b);
    case "<":
      return order(a, b) < 0;
    case "<=":
      return order(a, b) <= 0;
    case ">":
      return order(a, b) > 0;
    case ">=":
      return order(a, b) >= 0;
    default:
      throw new CtlError(`unrecognized filter operator ${step.operator}`);
  }
}

function operand(side: Operand, item: unknown, root: unknown): unknown[] {
  if ("value" in side) return [side.value];
  return evaluate(side.steps, side.isRoot ? root : item, root, { allowMissing: true });
}

const plain = (value: unknown): unknown =>
  value instanceof Number || typeof value === "bigint" ? Number(value) : value;

function same(a: unknown, b: unknown): boolean {
  return plain(a) === plain(b);
}

function order(a: unknown, b: unknown): number {
  const [x, y] = [plain(a), plain(b)];
  if (typeof x === "number" && typeof y === "number") return x - y;
  if (typeof x === "string" && typeof y === "string") return x < y ? -1 : x > y ? 1 : 0;
  return Number.NaN;
}
