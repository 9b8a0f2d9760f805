/** How functions are declared: types, implementation and costs of each overload in one place. */

import type { Release } from "../../base/release.ts";
import { traversalFactor } from "../cost/constants.ts";
import { type CostRange, one, scale } from "../cost/range.ts";
import type { Meter } from "../evaluate/frame.ts";
import type { LanguagePart } from "../language.ts";
import type { Expression } from "../syntax/ast.ts";
import type { Type } from "../types/types.ts";
import { sizeOf } from "../values/size.ts";
import type { Value } from "../values/values.ts";

export interface FunctionDeclaration {
  /** Operators are spelled `_+_`; a name with `@` can only come from a macro. */
  readonly name: string;
  /** The first release of the server that has it. */
  readonly since: Release;
  readonly overloads: readonly Overload[];
}

export interface Overload {
  /** A member is called on its first parameter. */
  /** The first release of the server that has it, if the function itself is older. */
  readonly since?: Release;
  readonly isMember: boolean;
  readonly params: readonly Type[];
  readonly result: Type;
  /** Arguments have the types of the parameters, at their outermost level, and are never errors. */
  call(args: readonly Value[], meter: Meter): Value;
  /** The cost of a call, counted before it is made, so that a call that is too expensive is not made; absent: 1. */
  cost?(args: readonly Value[]): number;
  /** Instead of `cost`, where it depends on the result. */
  resultCost?(result: Value): number;
  /** What it takes where types are known only when it is evaluated; absent: `params`. */
  readonly takes?: readonly Type[];
  /** The estimated cost, without that of the arguments; absent: exactly 1. */
  estimate?(call: EstimatedCall): CallEstimate;
}

export interface CallEstimate {
  readonly cost: CostRange;
  /** The size of the result, if it is a text, bytes, a list or a map. */
  readonly size?: CostRange | undefined;
}

/** A part of an expression as estimates see it. */
export interface SizedNode {
  readonly type: Type;
  readonly expression: Expression | undefined;
  readonly size: CostRange;
}

export interface EstimatedCall {
  /** All arguments; of a member the first is the target. */
  readonly args: readonly SizedNode[];
  /** Whether the server estimates so. */
  has(part: LanguagePart): boolean;
  /** An item of a list. Undefined if the node is not a list. */
  itemOf(node: SizedNode): SizedNode | undefined;
}

type Costs = Pick<Overload, "cost" | "resultCost" | "estimate" | "takes">;

export function overload(params: readonly Type[], result: Type, call: Overload["call"], costs: Costs = {}): Overload {
  return { isMember: false, params, result, call, ...costs };
}

export function member(params: readonly Type[], result: Type, call: Overload["call"], costs: Costs = {}): Overload {
  return { isMember: true, params, result, call, ...costs };
}

export function declare(name: string, since: Release, ...overloads: Overload[]): FunctionDeclaration {
  return { name, since, overloads };
}

/** The cost of reading the text at a position once, times a factor. */
export function traversal(position: number, factor = 1, keepsSize = false): Costs {
  return {
    cost: (args) => Math.ceil(sizeOf(args[position]!) * traversalFactor * factor),
    estimate: ({ args }) => {
      const { size } = args[position]!;
      return { cost: scale(size, traversalFactor * factor), size: keepsSize ? size : undefined };
    },
  };
}

/** The cost of a call that is always one. */
export const nominal: Costs = { cost: () => 1, estimate: () => ({ cost: one }) };
