/** One evaluation in progress: its variables, and what it has cost so far. */

import { callItemsMax, costOfStep, evaluationWorkMax } from "../limits.ts";
import { EvaluationError, type Value } from "../values/values.ts";

/** What functions of libraries see of an evaluation. */
export interface Meter {
  /** Counts work that is not part of the cost; an error once there is too much of it. */
  work(units: number): EvaluationError | undefined;
  /** Counts items that one call reads or makes as work; an error where they are too many for a call. */
  items(count: number): EvaluationError | undefined;
  /** Whether the evaluation has not used this pattern before. */
  isNewPattern(pattern: string): boolean;
}

const costExceeded = new EvaluationError("operation cancelled: actual cost limit exceeded", true);

export class Frame implements Meter {
  /** Undefined: a variable that was not read yet. */
  readonly slots: (Value | undefined)[];
  readonly limit: number;
  readonly #workMax: number;
  cost = 0;
  #work = 0;
  /** Cost and work when others were served last. */
  #served = 0;
  #patterns: Set<string> | undefined;

  constructor(slots: (Value | undefined)[], limit: number, workMax = evaluationWorkMax) {
    this.slots = slots;
    this.limit = limit;
    this.#workMax = workMax;
  }

  /** Whether a limit is exceeded. */
  get isExceeded(): boolean {
    return this.cost > this.limit || this.#work > this.#workMax;
  }

  /** Whether so much has been done since the last time that others should be served. */
  get isStepOver(): boolean {
    const done = this.cost + this.#work;
    if (done - this.#served < costOfStep) return false;
    this.#served = done;
    return true;
  }

  /** An error once the limit is exceeded; then the evaluation must end. */
  charge(cost: number): EvaluationError | undefined {
    this.cost += cost;
    return this.cost > this.limit ? costExceeded : undefined;
  }

  work(units: number): EvaluationError | undefined {
    this.#work += units;
    return this.#work > this.#workMax ? costExceeded : undefined;
  }

  items(count: number): EvaluationError | undefined {
    return count > callItemsMax ? costExceeded : this.work(count);
  }

  isNewPattern(pattern: string): boolean {
    this.#patterns ??= new Set();
    if (this.#patterns.has(pattern)) return false;
    this.#patterns.add(pattern);
    return true;
  }
}
