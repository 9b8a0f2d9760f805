/** One evaluation in progress: its variables, and what it has cost so far. */

import { evaluationWorkMax } from "../limits.ts";
import { EvaluationError, type Value } from "../values/values.ts";

/** What functions of libraries see of an evaluation. */
export interface Meter {
  /** Counts work that is not part of the cost; an error once there is too much of it. */
  work(units: number): EvaluationError | undefined;
  /** Whether the evaluation has not used this pattern before. */
  isNewPattern(pattern: string): boolean;
}

const costExceeded = new EvaluationError("operation cancelled: actual cost limit exceeded", true);

export class Frame implements Meter {
  readonly slots: Value[];
  readonly limit: number;
  cost = 0;
  #work = 0;
  #patterns: Set<string> | undefined;

  constructor(slots: Value[], limit: number) {
    this.slots = slots;
    this.limit = limit;
  }

  /** An error once the limit is exceeded; then the evaluation must end. */
  charge(cost: number): EvaluationError | undefined {
    this.cost += cost;
    return this.cost > this.limit ? costExceeded : undefined;
  }

  work(units: number): EvaluationError | undefined {
    this.#work += units;
    return this.#work > evaluationWorkMax ? costExceeded : undefined;
  }
  isNewPattern(pattern: string): boolean {
    this.#patterns ??= new Set();
    if (this.#patterns.has(pattern)) return false;
    this.#patterns.add(pattern);
    return true;
  }
}
