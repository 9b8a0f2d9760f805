/** Functions that take lists for sets. */

import { add, multiply, one, scale } from "../cost/range.ts";
import type { Meter } from "../evaluate/frame.ts";
import { bool, listOf, param } from "../types/types.ts";
import { contains } from "../values/equal.ts";
import { sizeOf } from "../values/size.ts";
import { ArrayList, EvaluationError, type List, type Value } from "../values/values.ts";
import { declare, type EstimatedCall, type FunctionDeclaration, overload } from "./declaration.ts";

const T = param("T");

/** Each item of one with each item of the other. */
const setCosts = (factor: number) => ({
  cost: ([a, b]: readonly Value[]) => Math.floor(sizeOf(a!) * sizeOf(b!) * factor) + 1,
  estimate: ({ args: [a, b] }: EstimatedCall) => ({ cost: add(scale(multiply(a!.size, b!.size), factor), one) }),
});

/** The items, each made of JSON once: they are compared again and again. */
function itemsOf(list: List, meter: Meter): List | EvaluationError {
  return meter.items(list.size) ?? new ArrayList(Array.from({ length: list.size }, (_, at) => list.at(at)));
}

function includesAll(given: List, items: List, meter: Meter): Value {
  const list = itemsOf(given, meter);
  if (list instanceof EvaluationError) return list;
  for (let at = 0; at < items.size; at++) {
    const found = contains(list, items.at(at), meter);
    if (found !== true) return found;
  }
  return true;
}

function intersects(a: List, given: List, meter: Meter): Value {
  const b = itemsOf(given, meter);
  if (b instanceof EvaluationError) return b;
  for (let at = 0; at < a.size; at++) {
    const found = contains(b, a.at(at), meter);
    if (found === true || (found instanceof EvaluationError && found.isFatal)) return found;
  }
  return false;
}

/** The arguments have the declared types; the casts below say so. */
export const sets: readonly FunctionDeclaration[] = [
  declare(
    "sets.contains",
    "1.29",
    overload([listOf(T), listOf(T)], bool, ([a, b], meter) => includesAll(a as List, b as List, meter), setCosts(1)),
  ),
  declare(
    "sets.equivalent",
    "1.29",
    overload(
      [listOf(T), listOf(T)],
      bool,
      ([a, b], meter) => {
        const one = includesAll(a as List, b as List, meter);
        return one === true ? includesAll(b as List, a as List, meter) : one;
      },
      setCosts(2),
    ),
  ),
  declare(
    "sets.intersects",
    "1.29",
    overload([listOf(T), listOf(T)], bool, ([a, b], meter) => intersects(a as List, b as List, meter), setCosts(1)),
  ),
];
