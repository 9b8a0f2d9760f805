/** What functions of texts cost, at most and in fact. */

import { patternFactor, traversalFactor } from "../cost/constants.ts";
import { add, type CostRange, multiply, one, scale, unbounded } from "../cost/range.ts";
import { sizeOf } from "../values/size.ts";
import { traversalCost } from "../values/traversal.ts";
import type { Value } from "../values/values.ts";
import type { EstimatedCall, SizedNode } from "./declaration.ts";

/** Positions are found by reading the text once. */
export const search = {
  cost: (args: readonly Value[]) => traversalCost(args[0]!),
  estimate: ({ args }: EstimatedCall) => ({ cost: scale(args[0]!.size, traversalFactor) }),
};

/** Characters of the text times those of the pattern. */
export const patternCosts = {
  cost: ([text, pattern]: readonly Value[]) =>
    Math.ceil((1 + sizeOf(text!)) * traversalFactor) * Math.ceil(sizeOf(pattern!) * patternFactor),
  estimate: ({ args: [text, pattern] }: EstimatedCall) => ({
    cost: multiply(scale(add(text!.size, one), traversalFactor), scale(pattern!.size, patternFactor)),
  }),
};

export const containsCosts = {
  cost: ([text, part]: readonly Value[]) =>
    Math.ceil(sizeOf(text!) * traversalFactor) * Math.ceil(sizeOf(part!) * traversalFactor),
  estimate: ({ args: [text, part] }: EstimatedCall) => ({
    cost: multiply(scale(text!.size, traversalFactor), scale(part!.size, traversalFactor)),
  }),
};

/** As long as the affix is. */
export const affixCosts = {
  cost: ([, affix]: readonly Value[]) => Math.ceil(sizeOf(affix!) * traversalFactor),
  estimate: ({ args: [, affix] }: EstimatedCall) => ({ cost: scale(affix!.size, traversalFactor) }),
};

export const replaceCosts = {
  cost: ([text]: readonly Value[]) => Math.ceil(sizeOf(text!) * 2 * traversalFactor),
  estimate: ({ args }: EstimatedCall) => ({
    cost: scale(args[0]!.size, 2 * traversalFactor),
    size: replacedSize(args[0]!.size, args[1]!.size, args[2]!.size),
  }),
};

/** The longest result replaces the shortest parts by the longest texts, the shortest one the other way around. */
function replacedSize(text: CostRange, part: CostRange, by: CostRange): CostRange {
  const max =
    part.min === 0
      ? (text.max + 1) * by.max + text.max
      : by.max <= part.min
        ? text.max
        : Math.ceil(text.max / part.min) * by.max;
  const min =
    part.max === 0
      ? (text.min + 1) * by.min + text.min
      : part.max <= by.min
        ? text.min
        : Math.ceil(text.min / part.max) * by.min;
  return { min: Number.isNaN(min) ? 0 : min, max: Number.isNaN(max) ? unbounded : max };
}

export const splitCosts = {
  cost: replaceCosts.cost,
  estimate: ({ args: [text, , limit] }: EstimatedCall) => ({
    cost: scale(text!.size, 2 * traversalFactor),
    size: { min: 0, max: literalInt(limit) ?? text!.size.max },
  }),
};

/** A negative limit counts as a huge one. */
function literalInt(node: SizedNode | undefined): number | undefined {
  const expression = node?.expression;
  if (expression?.kind !== "literal" || typeof expression.value !== "bigint") return undefined;
  return expression.value < 0n ? unbounded : Number(expression.value);
}

export const joinCosts = {
  resultCost: (result: Value) => Math.ceil(sizeOf(result) * 2 * traversalFactor),
  estimate: (call: EstimatedCall) => {
    const [list, separator] = call.args;
    const item = call.itemOf(list!);
    let size = item === undefined ? { min: 0, max: 0 } : multiply(list!.size, item.size);
    if (separator !== undefined) {
      const count = { min: Math.max(list!.size.min - 1, 0), max: Math.max(list!.size.max - 1, 0) };
      size = add(size, multiply(separator.size, count));
    }
    return { cost: scale(size, traversalFactor), size };
  },
};
