/** Loops that are evaluated in one go. */

import type { ComprehensionExpression } from "../syntax/ast.ts";
import { listKeys } from "../values/size.ts";
import { Dictionary, EvaluationError, List, Optional, TypeValue, typeNameOf, type Value } from "../values/values.ts";
import { accepted, type Collector, collectorOf, type LoopMacro } from "./collectors.ts";
import type { Evaluate, EvaluationPlan } from "./evaluation-plan.ts";
import { isFolded } from "./folds.ts";
import type { Frame } from "./frame.ts";

interface Loop {
  readonly range: Evaluate;
  readonly variables: LoopVariables;
  readonly filter: Evaluate | undefined;
  readonly transform: Evaluate | undefined;
  /** The transformation is a constant. */
  readonly isConstant: boolean;
}

/** The slots of the variables. */
interface LoopVariables {
  readonly first: number;
  /** Undefined: one variable, which is an item of a list or a key of a map. */
  readonly second: number | undefined;
}

export function planComprehension(expression: ComprehensionExpression, context: EvaluationPlan): Evaluate {
  const { macro, body } = expression;
  if (macro === "bind") return planBind(expression, context);
  const range = context.plan(expression.range, context);
  const { variables, planned } = withVariables(expression, context, () => ({
    filter: body.filter && context.plan(body.filter, context),
    transform: body.transform && context.plan(body.transform, context),
  }));
  const isConstant = body.transform !== undefined && isFolded(body.transform, context);
  const loop: Loop = { range, variables, isConstant, ...planned };
  return (frame) => evaluateLoop(frame, loop, macro);
}

/** Plans the body of a loop, in which its variables have their slots. */
export function withVariables<T>(
  { variable, variable2 }: ComprehensionExpression,
  { slots }: EvaluationPlan,
  planBody: () => T,
): { readonly variables: LoopVariables; readonly planned: T } {
  const first = slots.push(variable);
  const second = variable2 === undefined ? undefined : slots.push(variable2);
  const planned = planBody();
  slots.pop(variable);
  if (variable2 !== undefined) slots.pop(variable2);
  return { variables: { first, second }, planned };
}

/** A name that a macro made is read at once; one of the expression gets its value when it is read, if ever. */
export const isLazy = (name: string): boolean => !name.startsWith("@");

function planBind({ accumulator, initial, result }: ComprehensionExpression, context: EvaluationPlan): Evaluate {
  const value = context.plan(initial, context);
  const slot = context.slots.push(accumulator);
  const lazy = isLazy(accumulator);
  if (lazy) context.slots.lazy.set(slot, value);
  const inner = context.plan(result, context);
  context.slots.pop(accumulator);
  return (frame) => {
    frame.slots[slot] = lazy ? undefined : value(frame);
    return inner(frame);
  };
}

function evaluateLoop(frame: Frame, loop: Loop, macro: LoopMacro): Value {
  const items = loopItems(loop.range(frame), loop.variables, frame);
  if (items instanceof EvaluationError) return items;
  const collector = collectorOf(macro, frame, loop);
  for (let at = 0; at < items.size; at++) {
    const ended = visit(frame, loop, collector, items.bind(at));
    if (ended !== undefined) return ended;
  }
  return collector.end();
}

/** The value with which the loop ends at this item; undefined: it goes on. */
function visit(frame: Frame, { filter, transform }: Loop, collector: Collector, key: Value): Value | undefined {
  if (filter !== undefined) {
    const over = collector.begin();
    if (over !== undefined) return over;
    const answer = collector.filtered(filter(frame));
    if (answer !== accepted) return answer;
  }
  if (transform === undefined) return undefined;
  return collector.isOpen ? collector.add(key, transform(frame)) : collector.skip();
}

interface LoopItems {
  readonly size: number;
  /** Sets the variables to an item, and returns the first of them. */
  bind(at: number): Value;
}

export function loopItems(over: Value, { first, second }: LoopVariables, frame: Frame): LoopItems | EvaluationError {
  const { slots } = frame;
  if (over instanceof EvaluationError) return over;
  if (over instanceof List)
    return {
      size: over.size,
      bind(at) {
        slots[first] = second === undefined ? over.at(at) : BigInt(at);
        if (second !== undefined) slots[second] = over.at(at);
        return slots[first]!;
      },
    };
  if (!(over instanceof Dictionary)) return notIterable(over, second !== undefined);
  const tooMuch = listKeys(over, frame);
  if (tooMuch !== undefined) return tooMuch;
  const keys = over.keys();
  return {
    size: keys.length,
    bind(at) {
      const key = keys[at]!;
      slots[first] = key;
      if (second !== undefined) slots[second] = over.get(key);
      return key;
    },
  };
}

/** Types by the names that the reference has for them. */
function notIterable(value: Value, isPair: boolean): EvaluationError {
  const name = typeNameOf(value).replace("_type", "").replace("google.protobuf.", "");
  const shown = `${value instanceof Optional || value instanceof TypeValue ? "*" : ""}types.${name[0]!.toUpperCase()}${name.slice(1)}`;
  return new EvaluationError(
    isPair ? `unsupported comprehension range type: ${shown}` : `got '${shown}', expected iterable type`,
  );
}
