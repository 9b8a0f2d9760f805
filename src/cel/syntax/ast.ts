/** The syntax tree of an expression. Macros are expanded in it: a loop is always a comprehension. */

import type { Bytes, Uint } from "../values/values.ts";

export type Expression =
  | LiteralExpression
  | IdentifierExpression
  | SelectExpression
  | CallExpression
  | ListExpression
  | MapExpression
  | StructExpression
  | ComprehensionExpression;

interface Node {
  /** Position in the text, in UTF-16 units; what a macro adds has the position of the macro. */
  readonly offset: number;
  /** Levels below and including this one. */
  readonly depth: number;
}

export interface LiteralExpression extends Node {
  readonly kind: "literal";
  readonly value: Literal;
}
/** int is a bigint, double a number. */
export type Literal = null | boolean | bigint | number | string | Uint | Bytes;

export interface IdentifierExpression extends Node {
  readonly kind: "identifier";
  /** With a leading dot where it is absolute. */
  readonly name: string;
}
export interface SelectExpression extends Node {
  readonly kind: "select";
  readonly operand: Expression;
  readonly field: string;
  /** "test": `has(a.b)`. "optional": `a.?b`. */
  readonly mode: "value" | "test" | "optional";
}
export interface CallExpression extends Node {
  readonly kind: "call";
  readonly name: string;
  readonly target: Expression | undefined;
  readonly args: readonly Expression[];
}
export interface ListExpression extends Node {
  readonly kind: "list";
  readonly items: readonly Expression[];
  /** Positions of items that are left out if they have no value: `[?a]`. */
  readonly optionals: ReadonlySet<number>;
}
export interface MapExpression extends Node {
  readonly kind: "map";
  readonly entries: readonly MapEntry[];
}
export interface MapEntry {
  readonly key: Expression;
  readonly value: Expression;
  readonly isOptional: boolean;
}
/** `Name{field: value}`. */
export interface StructExpression extends Node {
  readonly kind: "struct";
  readonly name: string;
  readonly fields: readonly StructField[];
}
export interface StructField {
  readonly name: string;
  readonly offset: number;
  readonly value: Expression;
  /** `Name{?field: value}`: left out if it has no value. */
  readonly isOptional: boolean;
}
/**
 * Evaluates `step` for each item of `range` while `condition` is true, keeping its value in `accumulator`. `list.all(x, x > 0)` is
 *
 *   range list, variable x, accumulator @result = true, condition @not_strictly_false(@result), step @result && x > 0, result @result
 */
export interface ComprehensionExpression extends Node {
  readonly kind: "comprehension";
  readonly macro: Macro;
  readonly range: Expression;
  readonly variable: string;
  /** The value, where the first one is the index or key. */
  readonly variable2: string | undefined;
  readonly accumulator: string;
  readonly initial: Expression;
  readonly condition: Expression;
  readonly step: Expression;
  readonly result: Expression;
  /** The arguments of the macro that are evaluated for each item. */
  readonly body: { readonly filter: Expression | undefined; readonly transform: Expression | undefined };
}
/** "bind" evaluates `initial` once and then `result`; its range is empty. */
export type Macro =
  | "all"
  | "exists"
  | "exists_one"
  | "map"
  | "filter"
  | "transformList"
  | "transformMap"
  | "transformMapEntry"
  | "bind";

/** The accumulator of all macros but bind. No identifier can be spelled like it. */
export const accumulatorName = "@result";
