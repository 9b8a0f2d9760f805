/** Sets of owned fields that were read lately, found again by how they are printed. */

import { encodeJson } from "../json/json.ts";
import { deepFreeze } from "../json/json-value.ts";
import type { FieldSet } from "./field-set.ts";
import { keepPrinted } from "./print-managed.ts";

/** How many are known, and of what length. A lookup compares the text with the beginnings of all. */
export const knownSetsMax = 16;
export const knownSetCharsMax = 32 * 1024;

/** If no set repeats, few are learned: after this many without a hit, only one in as many. */
const missesMax = 64;

interface KnownSet {
  readonly text: string;
  /** Frozen: all who read it share it. */
  readonly set: FieldSet;
}

export class KnownSets {
  /** Frequently found sets come first. */
  readonly #sets: KnownSet[] = [];
  /** How many sets were not known since the last hit. */
  #misses = 0;

  /**
   * The set that is printed in `text` at this position; undefined: it is not known. An object ends where its last brace does, so
   * none begins with the whole text of another.
   */
  at(text: string, place: number): KnownSet | undefined {
    const sets = this.#sets;
    for (let i = 0; i < sets.length; i++) {
      const known = sets[i] as KnownSet; // i is within bounds
      if (!text.startsWith(known.text, place)) continue;
      this.#misses = 0;
      if (i > 0) {
        sets[i] = sets[i - 1] as KnownSet; // one position closer to the front
        sets[i - 1] = known;
      }
      return known;
    }
    return undefined;
  }

  /** `set` was read from `text`, perhaps at this position, and is frozen. It replaces the least frequently found one. */
  learn(text: string, place: number, set: FieldSet): void {
    this.#misses++;
    if (this.#misses > missesMax && this.#misses % missesMax !== 0) return;
    const printed = encodeJson(set);
    // Other programs may print differently, or in another order.
    if (printed.length > knownSetCharsMax || !text.startsWith(printed, place)) return;
    if (this.#sets.length === knownSetsMax) this.#sets.pop();
    keepPrinted(deepFreeze(set));
    this.#sets.push({ text: printed, set });
  }
}
