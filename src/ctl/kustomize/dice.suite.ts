/** Random choices for tests, the same ones for the same seed. */

import { seededRandom } from "../../base/seeded-random.ts";

/** Draws from one sequence of random numbers. */
export class Dice {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = seededRandom(seed);
  }

  below(count: number): number {
    return Math.floor(this.#next() * count);
  }

  chance(probability: number): boolean {
    return this.#next() < probability;
  }

  pick<T>(values: readonly T[]): T {
    const value = values[this.below(values.length)];
    if (value === undefined) throw new Error("nothing to pick from");
    return value;
  }

  some<T>(values: readonly T[], probability: number): T[] {
    return values.filter(() => this.chance(probability));
  }
}

/** Few names, so that resources refer to each other and have the same ones. */
export const names = ["a", "b", "web", "x-y"];
