/**
 * Steps of a path such as `object.spec.?replicas[0]`. As in the reference, the path as a whole costs one unit, and each of its steps one;
 * a step that may be absent, and is, costs nothing.
 */

import { selectCost } from "../cost/constants.ts";
import type { Expression, SelectExpression } from "../syntax/ast.ts";
import { hasMember, member, noMember } from "../values/member.ts";
import { EvaluationError, ObjectValue, Optional, type Value } from "../values/values.ts";
import type { Evaluate, EvaluationPlan } from "./evaluation-plan.ts";
import { isFolded } from "./folds.ts";
import type { Frame } from "./frame.ts";

const indexes: ReadonlySet<string> = new Set(["_[_]", "_[?_]"]);
export const isIndex = (name: string): boolean => indexes.has(name);

/** Whether an expression is a path: a variable, what is in it, or a choice between two. */
function isPath(expression: Expression, context: EvaluationPlan): boolean {
  switch (expression.kind) {
    case "identifier":
    case "select":
      return !isFolded(expression, context);
    case "call": {
      const name = context.checked.resolutions.get(expression)?.name ?? "";
      return isIndex(name) || name === "_?_:_";
    }
    default:
      return false;
  }
}

/** Whether the path begins with a choice. */
function isChoice(expression: Expression, context: EvaluationPlan): boolean {
  if (expression.kind === "select") return isChoice(expression.operand, context);
  const resolution = expression.kind === "call" ? context.checked.resolutions.get(expression) : undefined;
  if (resolution === undefined) return false;
  return resolution.name === "_?_:_" || (isIndex(resolution.name) && isChoice(resolution.args[0]!, context));
}

interface PathUse {
  readonly isRaw: boolean;
  /** `has(a.b)`, which counts its steps only. */
  readonly isTest: boolean;
}

/** What a path costs that begins with this operand, beside its steps; a variable counts itself. */
export function baseCost(operand: Expression, context: EvaluationPlan, { isRaw, isTest }: PathUse): number {
  if (isRaw) return 0;
  if (isTest) return isChoice(operand, context) ? -selectCost : 0;
  return isPath(operand, context) ? 0 : selectCost;
}

export function planSelect({ field, mode }: SelectExpression, operand: Evaluate, base: number): Evaluate {
  const read = mode === "value" ? step : mode === "test" ? test : optionalStep;
  return (frame) => {
    const value = operand(frame);
    frame.cost += base;
    return value instanceof EvaluationError ? value : read(value, field, frame);
  };
}

export function planIndex(name: string, operand: Evaluate, index: Evaluate, base: number): Evaluate {
  const isOptional = name === "_[?_]";
  const read = isOptional ? optionalStep : step;
  return (frame) => {
    const value = operand(frame);
    frame.cost += base;
    if (value instanceof EvaluationError || isNone(value)) return value;
    const key = index(frame);
    if (!(key instanceof EvaluationError)) return read(value, key, frame);
    if (!isOptional && !(value instanceof Optional)) frame.cost += selectCost;
    return key;
  };
}

/** Then no further step of the path is evaluated. */
export const isNone = (value: Value): boolean => value instanceof Optional && value.value === undefined;

function step(value: Value, key: Value, frame: Frame): Value {
  if (value instanceof Optional) return optionalStep(value, key, frame);
  frame.cost += selectCost;
  const found = member(value, key);
  return found === undefined ? noMember(value, key) : found;
}

function test(value: Value, key: Value, frame: Frame): Value {
  const operand = value instanceof Optional ? value.value : value;
  if (operand === undefined) return false;
  const present = hasMember(operand, key);
  if (present === true || operand === value) frame.cost += selectCost;
  return present;
}

function optionalStep(value: Value, key: Value, frame: Frame): Value {
  const operand = value instanceof Optional ? value.value : value;
  if (operand === undefined) return Optional.none;
  // A field that is not set may read as the zero of its type.
  if (operand instanceof ObjectValue && typeof key === "string" && !operand.has(key)) return Optional.none;
  const found = member(operand, key);
  if (found === undefined) return Optional.none;
  if (found instanceof EvaluationError) return found;
  frame.cost += selectCost;
  return new Optional(found);
}
