/** Applies the rules of a schema to an object: which of them refuse it. */

import { Pace, type Steps } from "../../base/time-slice.ts";
import { isObject, sameJson } from "../../machinery/json/json-value.ts";
import type { FieldError, FieldReason } from "../../machinery/status/field-error.ts";
import { invalid } from "../../machinery/status/field-error.ts";
import type { Bindings, Evaluation, Program } from "../contract.ts";
import { callCostMax, requestCostMax } from "../limits.ts";
import { EvaluationError, Optional } from "../values/values.ts";
import type { DeclaredType } from "./declared-type.ts";
import type { RuleTree, TreeRule } from "./rule-tree.ts";
import type { PathStep } from "./schema-rules.ts";

/** Longer messages of expressions are not used. */
export const ruleMessageBytesMax = 5 * 1024;
/** After this cost other requests are served: some milliseconds, or tens of them where functions are slow. */
const costOfSlice = 50_000;

interface Run {
  readonly errors: FieldError[];
  readonly pace: Pace;
  /** What may still be spent on this object. */
  left: number;
  /** Spent since others were served. */
  spent: number;
}

/** `old` undefined: the object is new. A value that has not changed need not meet rules that it did not meet before. */
export function* ruleProblems(tree: RuleTree, object: unknown, old: unknown): Steps<FieldError[]> {
  const run: Run = { errors: [], pace: new Pace(), left: requestCostMax, spent: 0 };
  yield* visit(tree, object, old, "", run);
  return run.errors;
}

function* visit(tree: RuleTree, value: unknown, old: unknown, path: string, run: Run): Steps<void> {
  if (value === null || value === undefined || run.left < 0) return;
  if (run.pace.isDue || run.spent > costOfSlice) {
    run.spent = 0;
    yield;
  }
  for (const rule of tree.rules) {
    yield* applyRule(rule, tree.declared!, value, old, path, run);
    if (run.left < 0) return;
    if (run.spent > costOfSlice) {
      run.spent = 0;
      yield;
    }
  }
  if (Array.isArray(value)) {
    const { items } = tree;
    if (items === undefined) return;
    const before = Array.isArray(old) && tree.keys.length > 0 ? byKeys(old, tree.keys) : undefined;
    for (const [index, item] of value.entries())
      yield* visit(items, item, before?.get(keyOf(item, tree.keys)), `${path}[${index}]`, run);
    return;
  }
  if (!isObject(value)) return;
  const before = isObject(old) ? old : {};
  for (const [name, inner] of tree.properties) {
    if (!Object.hasOwn(value, name)) continue;
    yield* visit(inner, value[name], own(before, name), path === "" ? name : `${path}.${name}`, run);
  }
  if (tree.additional === undefined) return;
  for (const name of Object.keys(value))
    yield* visit(tree.additional, value[name], own(before, name), `${path}[${name}]`, run);
}

const own = (object: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.hasOwn(object, name) ? object[name] : undefined;

const keyOf = (item: unknown, keys: readonly string[]): string =>
  isObject(item) ? JSON.stringify(keys.map((key) => String(item[key] ?? ""))) : "";
const byKeys = (list: readonly unknown[], keys: readonly string[]): ReadonlyMap<string, unknown> =>
  new Map(list.map((item) => [keyOf(item, keys), item]));

function* applyRule(
  rule: TreeRule,
  declared: DeclaredType,
  value: unknown,
  old: unknown,
  path: string,
  run: Run,
): Steps<void> {
  const { program } = rule.rule;
  const { given } = rule;
  const hasOld = old !== undefined && old !== null;
  const isOptional = given.optionalOldSelf === true;
  // A definition is refused if its rules do not compile; one that was stored before may still have such rules.
  if (program === undefined || (rule.isTransition && !hasOld && !isOptional)) return;
  const before = hasOld ? declared.read(old) : undefined;
  const bindings = {
    self: declared.read(value),
    oldSelf: isOptional ? (before === undefined ? Optional.none : new Optional(before)) : before,
  };
  const { value: result } = yield* evaluate(program, bindings, run);
  if (run.left < 0) {
    run.errors.push(
      invalid(
        path,
        undefined,
        "validation failed due to running out of cost budget, no further validation rules will be run",
      ),
    );
    return;
  }
  if (result === true) return;
  if (result instanceof EvaluationError) {
    run.errors.push(invalid(path, undefined, `${result.message} evaluating rule: ${given.message || given.rule}`));
    return;
  }
  if (path !== "" && !rule.isTransition && hasOld && sameJson(value, old)) return;
  const message = yield* messageOf(rule, bindings, run);
  if (message instanceof EvaluationError) {
    run.errors.push(invalid(path, undefined, `${message.message} evaluating messageExpression`));
    return;
  }
  const field = rule.fieldPath.reduce(joined, path);
  const reason = (given.reason ?? "FieldValueInvalid") as FieldReason; // checked when the definition was written
  run.errors.push({ reason, field, message });
}

const joined = (path: string, { name, isKey }: PathStep): string =>
  isKey ? `${path}[${name}]` : path === "" ? name : `${path}.${name}`;

function* evaluate(program: Program, bindings: Bindings, run: Run): Steps<Evaluation> {
  const evaluation = yield* program.evaluateSteps(bindings, Math.min(callCostMax, run.left));
  run.left -= evaluation.cost;
  run.spent += evaluation.cost;
  return evaluation;
}

/** The expression, unless it fails, is blank, has line breaks or is too long; then the text, and then the rule. */
function* messageOf({ given, message }: TreeRule, bindings: Bindings, run: Run): Steps<string | EvaluationError> {
  const fallback = given.message?.trim() || `failed rule: ${(given.rule ?? "").trim()}`;
  if (message?.program === undefined) return fallback;
  const { value } = yield* evaluate(message.program, bindings, run);
  if (value instanceof EvaluationError && value.isFatal) return value;
  if (typeof value !== "string") return fallback;
  const text = value.trim();
  return text === "" || /[\n\r]/.test(text) || Buffer.byteLength(text) > ruleMessageBytesMax ? fallback : text;
}
