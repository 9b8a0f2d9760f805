/** Constants: what an expression writes as a literal, or computes from literals before it is evaluated. They cost nothing. */

import type { Expression } from "../syntax/ast.ts";
import type { Value } from "../values/values.ts";
import { type Evaluate, type EvaluationPlan, FrameSlots } from "./evaluation-plan.ts";
import { Frame } from "./frame.ts";

/** Conversions of constants are constants. */
const conversions: ReadonlySet<string> = new Set([
  "bool",
  "bytes",
  "double",
  "duration",
  "dyn",
  "int",
  "string",
  "timestamp",
  "type",
  "uint",
]);

export function isFolded(expression: Expression, context: Pick<EvaluationPlan, "checked" | "folds">): boolean {
  const known = context.folds.get(expression);
  if (known !== undefined) return known;
  const found = isConstant(expression, context);
  context.folds.set(expression, found);
  return found;
}

function isConstant(expression: Expression, context: Pick<EvaluationPlan, "checked" | "folds">): boolean {
  const areFolded = (parts: readonly Expression[]) => parts.every((part) => isFolded(part, context));
  switch (expression.kind) {
    case "literal":
      return true;
    case "identifier":
    case "select":
      return context.checked.references.get(expression)?.kind === "type";
    case "list":
      return areFolded(expression.items);
    case "map":
      return expression.entries.every(({ key, value }) => areFolded([key, value]));
    case "call": {
      const resolution = context.checked.resolutions.get(expression);
      if (resolution === undefined) return false;
      const { name, args, overloads } = resolution;
      if (name === "@in") return overloads.length === 1 && isEmptyList(args[1]!);
      return conversions.has(name) && args.length === 1 && areFolded(args);
    }
    default:
      return false;
  }
}

/** Nothing is in it, so that the other side is not evaluated. */
const isEmptyList = (expression: Expression): boolean => expression.kind === "list" && expression.items.length === 0;

/** Evaluates a constant that has other parts once, when it is first needed. Undefined: it is a literal, or not a constant. */
export function foldedValue(expression: Expression, context: EvaluationPlan): Evaluate | undefined {
  if (!isMade(expression) || !isFolded(expression, context)) return undefined;
  let value: Value | undefined;
  return () => {
    value ??= value === null ? null : evaluateConstant(expression, context);
    return value;
  };
}

const isMade = ({ kind }: Expression): boolean => kind === "list" || kind === "map" || kind === "call";

/** Its parts are planned as if they were not constants. */
function evaluateConstant(expression: Expression, { checked, plan }: EvaluationPlan): Value {
  if (expression.kind === "call" && checked.resolutions.get(expression)?.name === "@in") return false;
  const slots = new FrameSlots();
  const evaluate = plan(expression, { checked, slots, folds: new Unfolded(), plan });
  return evaluate(new Frame([], Number.POSITIVE_INFINITY));
}

/** Nothing is a constant. */
class Unfolded extends Map<Expression, boolean> {
  override get(): boolean {
    return false;
  }
}
