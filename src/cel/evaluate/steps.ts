/** Turns a checked expression into functions that evaluate it in steps: others are served between the items of a long loop. */

import type { Steps } from "../../base/time-slice.ts";
import { partsOfStep } from "../limits.ts";
import type { ComprehensionExpression, Expression } from "../syntax/ast.ts";
import { EvaluationError, Optional, type Value } from "../values/values.ts";
import { accepted, type Collector, collectorOf } from "./collectors.ts";
import { isLazy, loopItems, withVariables } from "./comprehension.ts";
import type { Evaluate, EvaluationPlan } from "./evaluation-plan.ts";
import { isFolded } from "./folds.ts";
import type { Frame } from "./frame.ts";
import { nodeOf, plan } from "./plan.ts";
import { isNone } from "./qualifiers.ts";

export type EvaluateSteps = (frame: Frame) => Steps<Value>;

/** A part that is evaluated at once, or in steps. `size`: how many parts of the expression the step has. */
type Part =
  | { readonly evaluate: Evaluate; readonly size: number }
  | { readonly evaluate?: undefined; readonly steps: EvaluateSteps };

export function planSteps(expression: Expression, context: EvaluationPlan): EvaluateSteps {
  const part = planPart(expression, context);
  return (frame) => evaluatePart(part, frame);
}

function* evaluatePart(part: Part, frame: Frame): Steps<Value> {
  return part.evaluate === undefined ? yield* part.steps(frame) : part.evaluate(frame);
}

function planPart(expression: Expression, context: EvaluationPlan, isRaw = false): Part {
  if (expression.kind === "comprehension") return planLoop(expression, context);
  const node = nodeOf(expression, context, isRaw);
  if (typeof node === "function") return { evaluate: node, size: 1 };
  const parts = node.children.map((child) => planPart(child.expression, context, child.isRaw));
  const short = evaluatedAtOnce(parts);
  if (short !== undefined) return { evaluate: node.make(short.evaluate), size: short.size + 1 };
  // Each child is evaluated into a slot, from which the node reads it.
  const slots = parts.map(() => context.slots.fresh());
  const combine = node.make(slots.map((slot) => (frame) => frame.slots[slot]!));
  const operator = expression.kind === "call" ? context.checked.resolutions.get(expression)?.name : undefined;
  return {
    *steps(frame) {
      let first: Value = null;
      for (const [at, part] of parts.entries()) {
        if (at > 0 && !isNeeded(operator, first, at)) continue;
        if (frame.isStepOver) yield;
        const value = yield* evaluatePart(part, frame);
        frame.slots[slots[at]!] = value;
        if (at === 0) first = value;
        else if (value instanceof EvaluationError) break;
      }
      return combine(frame);
    },
  };
}

/** The children of a node that is small enough for one step. */
function evaluatedAtOnce(parts: readonly Part[]): { evaluate: Evaluate[]; size: number } | undefined {
  const evaluate: Evaluate[] = [];
  let size = 0;
  for (const part of parts) {
    if (part.evaluate === undefined) return undefined;
    evaluate.push(part.evaluate);
    size += part.size;
  }
  return size < partsOfStep ? { evaluate, size } : undefined;
}

/** Whether a child after the first is evaluated: operators may not need it, and others need none after an error. */
function isNeeded(operator: string | undefined, first: Value, at: number): boolean {
  const isError = first instanceof EvaluationError;
  switch (operator) {
    case "_&&_":
      return first !== false && !(isError && first.isFatal);
    case "_||_":
      return first !== true && !(isError && first.isFatal);
    case "_?_:_":
      return first === (at === 1);
    case "or":
    case "orValue":
      return first instanceof Optional && first.value === undefined;
    case "_[_]":
    case "_[?_]":
      return !isError && !isNone(first);
    default:
      return !isError;
  }
}

function planLoop(expression: ComprehensionExpression, context: EvaluationPlan): Part {
  const { macro, body } = expression;
  if (macro === "bind") return planBind(expression, context);
  const range = planPart(expression.range, context);
  const { variables, planned } = withVariables(expression, context, () => ({
    filter: body.filter && planPart(body.filter, context),
    transform: body.transform && planPart(body.transform, context),
  }));
  const isConstant = body.transform !== undefined && isFolded(body.transform, context);
  return {
    *steps(frame) {
      const items = loopItems(yield* evaluatePart(range, frame), variables, frame);
      if (items instanceof EvaluationError) return items;
      const collector = collectorOf(macro, frame, { isConstant });
      for (let at = 0; at < items.size; at++) {
        if (frame.isStepOver) yield;
        const key = items.bind(at);
        const { filter, transform } = planned;
        const isShort = filter?.evaluate !== undefined && transform === undefined;
        // Most loops only filter, and need no generator for each item.
        const ended = isShort
          ? (collector.begin() ?? withoutSign(collector.filtered(filter.evaluate(frame))))
          : yield* visit(frame, planned, collector, key);
        if (ended !== undefined) return ended;
      }
      return collector.end();
    },
  };
}

/** Without a transformation no collector accepts an item. */
const withoutSign = (value: Value | undefined | typeof accepted): Value | undefined =>
  value === accepted ? undefined : value;

interface LoopBody {
  readonly filter: Part | undefined;
  readonly transform: Part | undefined;
}

function* visit(
  frame: Frame,
  { filter, transform }: LoopBody,
  collector: Collector,
  key: Value,
): Steps<Value | undefined> {
  if (filter !== undefined) {
    const over = collector.begin();
    if (over !== undefined) return over;
    const answer = collector.filtered(yield* evaluatePart(filter, frame));
    if (answer !== accepted) return answer;
  }
  if (transform === undefined) return undefined;
  return collector.isOpen ? collector.add(key, yield* evaluatePart(transform, frame)) : collector.skip();
}

function planBind({ accumulator, initial, result }: ComprehensionExpression, context: EvaluationPlan): Part {
  const isLate = isLazy(accumulator);
  // What is read late is the value of an optional, which takes no time.
  const value: Part = isLate ? { evaluate: plan(initial, context), size: 1 } : planPart(initial, context);
  const slot = context.slots.push(accumulator);
  if (isLate) context.slots.lazy.set(slot, value.evaluate!);
  const inner = planPart(result, context);
  context.slots.pop(accumulator);
  return {
    *steps(frame) {
      frame.slots[slot] = isLate ? undefined : yield* evaluatePart(value, frame);
      return yield* evaluatePart(inner, frame);
    },
  };
}
