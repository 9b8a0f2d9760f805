/** Applies the rules of a schema to an object: which of them refuse it. */

import { Pace, type Steps } from "../../base/time-slice.ts";
import { isObject } from "../../machinery/json/json-value.ts";
import { byKeys, isKept, keyOf } from "../../machinery/json-schema/kept.ts";
import { duplicate, type FieldError, forbidden, invalid, required } from "../../machinery/status/field-error.ts";
import type { Bindings, Evaluation, Program } from "../contract.ts";
import { callCostMax, requestCostMax } from "../limits.ts";
import { EvaluationError, Optional } from "../values/values.ts";
import type { RuleTree, TreeRule } from "./rule-tree.ts";
import type { PathStep, SchemaRule } from "./schema-rules.ts";

/** Longer messages of expressions are not used. */
export const ruleMessageBytesMax = 5 * 1024;
/** After this cost other requests are served: some milliseconds, or tens of them where functions are slow. */
const costOfSlice = 50_000;

interface Options {
  /** A value that has not changed need not meet rules that it did not meet before. Default: true. */
  readonly isRatcheted?: boolean;
  /** Rules that do not compile refuse what they are about. A definition with such rules is refused; one that was stored before may have them. */
  readonly tellsUncompiled?: boolean;
}

interface Run extends Required<Options> {
  readonly errors: FieldError[];
  readonly pace: Pace;
  /** What may still be spent on this object; negative: no further rules. */
  left: number;
  /** Spent since others were served. */
  spent: number;
}

interface Visited {
  readonly value: unknown;
  /** The value before; undefined: it is new, or cannot be found again. */
  readonly old: unknown;
  readonly path: string;
  /** Whether the nearest value around it that can be found again has not changed. */
  isSameAround(): boolean;
}

/** `old` undefined: the object is new. */
export function* ruleProblems(
  tree: RuleTree,
  object: unknown,
  old: unknown,
  { isRatcheted = true, tellsUncompiled = false }: Options = {},
): Steps<FieldError[]> {
  const run: Run = { isRatcheted, tellsUncompiled, errors: [], pace: new Pace(), left: requestCostMax, spent: 0 };
  yield* visit(tree, { value: object, old, path: "", isSameAround: never }, run);
  return run.errors;
}

const never = (): boolean => false;

function* visit(tree: RuleTree, visited: Visited, run: Run): Steps<void> {
  const { value, old, path } = visited;
  if (value === null || value === undefined || run.left < 0) return;
  if (run.pace.isDue || run.spent > costOfSlice) {
    run.spent = 0;
    yield;
  }
  if (tree.isUntyped && run.tellsUncompiled)
    run.errors.push(invalid(path, tree.type, "rules need a schema with a type"));
  for (const rule of tree.rules) {
    yield* applyRule(rule, tree, visited, run);
    if (run.left < 0) return;
    if (run.spent > costOfSlice) {
      run.spent = 0;
      yield;
    }
  }
  const isSameAround =
    (old ?? undefined) === undefined
      ? visited.isSameAround
      : once(() => isKept(value, { value: old, plan: tree.plan }));
  if (Array.isArray(value)) {
    const { items } = tree;
    if (items === undefined) return;
    const before = Array.isArray(old) && tree.keys.length > 0 ? byKeys(old, tree.keys) : undefined;
    for (const [index, item] of value.entries()) {
      const itemBefore = before?.get(keyOf(item, tree.keys));
      yield* visit(items, { value: item, old: itemBefore, path: `${path}[${index}]`, isSameAround }, run);
    }
    return;
  }
  if (!isObject(value)) return;
  const before = isObject(old) ? old : {};
  for (const [name, inner] of tree.properties) {
    if (!Object.hasOwn(value, name)) continue;
    const at = path === "" ? name : `${path}.${name}`;
    yield* visit(inner, { value: value[name], old: own(before, name), path: at, isSameAround }, run);
  }
  if (tree.additional === undefined) return;
  for (const name of Object.keys(value))
    yield* visit(
      tree.additional,
      { value: value[name], old: own(before, name), path: `${path}[${name}]`, isSameAround },
      run,
    );
}

/** Comparing a long list for each of its items would take too long. */
function once(compute: () => boolean): () => boolean {
  let known: boolean | undefined;
  return () => {
    known ??= compute();
    return known;
  };
}

const own = (object: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.hasOwn(object, name) ? object[name] : undefined;

function* applyRule(rule: TreeRule, tree: RuleTree, visited: Visited, run: Run): Steps<void> {
  const { given } = rule;
  const { program } = rule.rule;
  const { value, old, path } = visited;
  const declared = tree.declared!;
  const hasOld = old !== undefined && old !== null;
  const isOptional = given.optionalOldSelf === true;
  if (program === undefined && run.tellsUncompiled && given.rule?.trim())
    run.errors.push(invalid(path, tree.type, `rule compile error: ${ruleText(given)}`));
  if (program === undefined || (rule.isTransition && !hasOld && !isOptional)) return;
  const before = hasOld ? declared.read(old) : undefined;
  const self = declared.read(value);
  const oldSelf = isOptional ? (before === undefined ? Optional.none : new Optional(before)) : before;
  const { value: result } = yield* evaluate(program, { self, oldSelf }, run);
  if (run.left < 0) {
    run.errors.push(invalid(path, tree.type, outOfBudget));
    return;
  }
  if (result === true) return;
  if (result instanceof EvaluationError) {
    if (result.isFatal) run.left = -1;
    run.errors.push(invalid(path, tree.type, failureText(result, ruleText(given))));
    return;
  }
  // The expression of a message sees the value before as it is, even where it is optional in the rule.
  const message = yield* messageOf(rule, { self, oldSelf: before }, run);
  const isSame =
    run.isRatcheted &&
    !alwaysChecked.has(path) &&
    (hasOld ? isKept(value, { value: old, plan: tree.plan }) : visited.isSameAround());
  if (isSame && !rule.isTransition) return;
  const field = rule.fieldPath.reduce(joined, path);
  const shown = tree.type === "object" || tree.type === "array" ? tree.type : value;
  const isOver = run.left < 0;
  run.errors.push(isOver ? invalid(field, tree.type, message) : refusal(given.reason, field, shown, message));
}

/** The whole object, and what a request may not keep from before since it is about its version. */
const alwaysChecked: ReadonlySet<string> = new Set(["", "apiVersion", "kind"]);

const outOfBudget = "validation failed due to running out of cost budget, no further validation rules will be run";

/** The rule as errors name it. */
const ruleText = ({ message, rule = "" }: SchemaRule): string => (message ? message : rule).trim();

function failureText({ message, isFatal }: EvaluationError, rule: string): string {
  if (message.startsWith("no such overload"))
    return `'${message}': call arguments did not match a supported operator, function or macro signature for rule: ${rule}`;
  if (isFatal)
    return `'${message}': no further validation rules will be run due to call cost exceeds limit for rule: ${rule}`;
  return `${message} evaluating rule: ${rule}`;
}

function refusal(reason: string | undefined, field: string, value: unknown, message: string): FieldError {
  switch (reason) {
    case "FieldValueForbidden":
      return forbidden(field, message);
    case "FieldValueRequired":
      return required(field, message);
    case "FieldValueDuplicate":
      return duplicate(field, value);
    default:
      return invalid(field, value, message);
  }
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
function* messageOf({ given, message }: TreeRule, bindings: Bindings, run: Run): Steps<string> {
  const fallback = given.message ? given.message.trim() : `failed rule: ${(given.rule ?? "").trim()}`;
  if (message?.program === undefined) return fallback;
  const { value } = yield* evaluate(message.program, bindings, run);
  if (run.left < 0)
    return "messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run";
  if (value instanceof EvaluationError && value.isFatal) {
    run.left = -1;
    return `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${JSON.stringify(given.messageExpression)}`;
  }
  if (typeof value !== "string") return fallback;
  const text = value.trim();
  return text === "" || text.includes("\n") || Buffer.byteLength(text) > ruleMessageBytesMax ? fallback : text;
}
