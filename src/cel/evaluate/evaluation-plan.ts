/** What the parts of an expression are planned with: its types, the slots of its variables, its constants. */

import type { CheckedExpression } from "../check/checker.ts";
import type { Expression } from "../syntax/ast.ts";
import { EvaluationError, type Value } from "../values/values.ts";
import type { Frame } from "./frame.ts";

export type Evaluate = (frame: Frame) => Value;

/** Where the variables of an expression are in a frame. */
export class FrameSlots {
  readonly #slots = new Map<string, number[]>();
  #count = 0;
  /** Variables of the environment that the expression uses. */
  readonly globals: string[] = [];
  /** Variables that get their value when they are first read. */
  readonly lazy = new Map<number, Evaluate>();

  /** How many slots a frame has. */
  get count(): number {
    return this.#count;
  }

  slotOf(name: string): number {
    const known = this.#slots.get(name)?.at(-1);
    if (known !== undefined) return known;
    const slot = this.#count++;
    this.globals[slot] = name;
    this.#slots.set(name, [slot]);
    return slot;
  }

  push(name: string): number {
    const slot = this.#count++;
    const known = this.#slots.get(name);
    if (known === undefined) this.#slots.set(name, [slot]);
    else known.push(slot);
    return slot;
  }

  /** A slot without a name. */
  fresh(): number {
    return this.#count++;
  }

  /** Whatever variables of loops have that name. */
  globalSlotOf(name: string): number {
    const known = this.globals.indexOf(name);
    if (known !== -1) return known;
    const slot = this.#count++;
    this.globals[slot] = name;
    return slot;
  }

  pop(name: string): void {
    const known = this.#slots.get(name)!;
    known.pop();
    if (known.length === 0) this.#slots.delete(name);
  }
}

export interface EvaluationPlan {
  readonly checked: CheckedExpression;
  readonly slots: FrameSlots;
  /** Parts that are constants. */
  readonly folds: Folds;
  /** Plans a part. `isRaw`: the variable at the beginning of a path does not count, since a part around it counts instead. */
  readonly plan: (expression: Expression, context: EvaluationPlan, isRaw?: boolean) => Evaluate;
}

/** Whether each part of an expression is a constant, once that was asked. */
export type Folds = Map<Expression, boolean>;

export const noOverload = new EvaluationError("no such overload");
