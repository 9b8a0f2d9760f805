/** Loops: one function for each macro, with the costs that its expansion has in the reference. */

import { listCost, mapCost, selectCost } from "../cost/constants.ts";
import type { ComprehensionExpression } from "../syntax/ast.ts";
import { ArrayList, Dictionary, EntryMap, EvaluationError, List, type Value } from "../values/values.ts";
import type { Frame } from "./frame.ts";
import { type Evaluate, type EvaluationPlan, insert, noOverload, plan } from "./plan.ts";

interface Loop {
  readonly range: Evaluate;
  readonly first: number;
  /** Undefined: one variable, which is an item of a list or a key of a map. */
  readonly second: number | undefined;
  readonly filter: Evaluate | undefined;
  readonly transform: Evaluate | undefined;
}

export function planComprehension(expression: ComprehensionExpression, context: EvaluationPlan): Evaluate {
  const { macro, variable, variable2, body } = expression;
  const { slots } = context;
  if (macro === "bind") return planBind(expression, context);
  const range = plan(expression.range, context);
  const first = slots.push(variable);
  const second = variable2 === undefined ? undefined : slots.push(variable2);
  const filter = body.filter && plan(body.filter, context);
  const transform = body.transform && plan(body.transform, context);
  slots.pop(variable);
  if (variable2 !== undefined) slots.pop(variable2);
  const loop: Loop = { range, first, second, filter, transform };
  switch (macro) {
    case "all":
      return (frame) => quantify(frame, loop, false);
    case "exists":
      return (frame) => quantify(frame, loop, true);
    case "exists_one":
      return (frame) => existsOne(frame, loop);
    case "map":
    case "filter":
    case "transformList":
      return (frame) => makeList(frame, loop);
    case "transformMap":
    case "transformMapEntry":
      return (frame) => makeMap(frame, loop, macro === "transformMapEntry");
  }
}

function planBind({ accumulator, initial, result }: ComprehensionExpression, context: EvaluationPlan): Evaluate {
  const value = plan(initial, context);
  const slot = context.slots.push(accumulator);
  const inner = plan(result, context);
  context.slots.pop(accumulator);
  return (frame) => {
    frame.slots[slot] = value(frame);
    return inner(frame);
  };
}

/** Calls `step` for each item with the variables set, until it returns something. */
function iterate(
  frame: Frame,
  { range, first, second }: Loop,
  step: (key: Value) => Value | undefined,
): Value | undefined {
  const over = range(frame);
  if (over instanceof EvaluationError) return over;
  const { slots } = frame;
  if (over instanceof List) {
    const { size } = over;
    for (let at = 0; at < size; at++) {
      if (second === undefined) slots[first] = over.at(at);
      else {
        slots[first] = BigInt(at);
        slots[second] = over.at(at);
      }
      const ended = step(slots[first]!);
      if (ended !== undefined) return ended;
    }
    return undefined;
  }
  if (!(over instanceof Dictionary)) return noOverload;
  for (const key of over.keys()) {
    slots[first] = key;
    if (second !== undefined) slots[second] = over.get(key) ?? noOverload;
    const ended = step(key);
    if (ended !== undefined) return ended;
  }
  return undefined;
}

/** The condition reads the accumulator and asks whether to go on; `exists` negates it as well. */
const quantifierCost = { all: selectCost + 1 + selectCost, exists: selectCost + 2 + selectCost };

function quantify(frame: Frame, loop: Loop, stop: boolean): Value {
  const each = stop ? quantifierCost.exists : quantifierCost.all;
  let failed: EvaluationError | undefined;
  const ended = iterate(frame, loop, () => {
    const over = frame.charge(each);
    if (over !== undefined) return over;
    const answer = loop.filter!(frame);
    if (answer === stop) return answer;
    if (answer === !stop) return undefined;
    const error = answer instanceof EvaluationError ? answer : noOverload;
    if (error.isFatal) return error;
    failed ??= error;
    return undefined;
  });
  return ended ?? frame.charge(selectCost) ?? failed ?? !stop;
}

/** The accumulator is read, and increased where the filter is true; in the end it is compared with one. */
function existsOne(frame: Frame, loop: Loop): Value {
  let count = 0;
  const ended = iterate(frame, loop, () => {
    const answer = loop.filter!(frame);
    if (typeof answer !== "boolean") return answer instanceof EvaluationError ? answer : noOverload;
    if (answer) count++;
    return frame.charge(answer ? selectCost + 1 : selectCost);
  });
  return ended ?? frame.charge(selectCost + 1) ?? count === 1;
}

function makeList(frame: Frame, loop: Loop): Value {
  const items: Value[] = [];
  const ended = iterate(frame, loop, () => {
    if (loop.filter !== undefined) {
      const answer = loop.filter(frame);
      if (answer === false) return frame.charge(selectCost);
      if (answer !== true) return answer instanceof EvaluationError ? answer : noOverload;
    }
    const item = loop.transform!(frame);
    if (item instanceof EvaluationError) return item;
    items.push(item);
    return frame.charge(selectCost + listCost + 1);
  });
  return ended ?? frame.charge(selectCost) ?? new ArrayList(items);
}

function makeMap(frame: Frame, loop: Loop, isEntry: boolean): Value {
  const map = new EntryMap();
  const ended = iterate(frame, loop, (key) => {
    if (loop.filter !== undefined) {
      const answer = loop.filter(frame);
      if (answer === false) return frame.charge(selectCost);
      if (answer !== true) return answer instanceof EvaluationError ? answer : noOverload;
    }
    const value = loop.transform!(frame);
    if (value instanceof EvaluationError) return value;
    return (isEntry ? insertAll(map, value) : insert(map, key, value)) ?? frame.charge(2 * selectCost + 1);
  });
  return ended ?? frame.charge(mapCost) ?? map;
}

function insertAll(map: EntryMap, entries: Value): EvaluationError | undefined {
  if (!(entries instanceof Dictionary)) return noOverload;
  for (const key of entries.keys()) {
    const problem = insert(map, key, entries.get(key)!);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
