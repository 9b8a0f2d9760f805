/** Sets of owned fields that were read lately, found again by how they are printed. */

import { encodeJson } from "../codec/json.ts";
import { deepFreeze } from "../schema/freeze.ts";
import type { FieldSet } from "./field-set.ts";
import { keepPrinted } from "./print-managed.ts";

/** How many are known, and of what length. Looking for one means to compare it with the beginnings of all. */
export const knownSetsMax = 16;
export const knownSetCharsMax = 32 * 1024;

/** Where no set is like another, few are learned: after so many in vain, one of as many. */
const missesMax = 64;

export interface KnownSet {
  readonly text: string;
  /** Frozen: all who read it share it. */
  readonly set: FieldSet;
}

export class KnownSets {
  /** What was found often comes first. */
  readonly #sets: KnownSet[] = [];
  /** Sets that had to be learned since one was found. */
  #misses = 0;

  /**
   * The set that is printed in `text` at this place; undefined: it is not known. An object ends where its last brace does, so
   * none begins with the whole text of another.
   */
  at(text: string, place: number): KnownSet | undefined {
    const sets = this.#sets;
    for (let i = 0; i < sets.length; i++) {
      const known = sets[i] as KnownSet; // i is within bounds
      if (!text.startsWith(known.text, place)) continue;
      this.#misses = 0;
      if (i > 0) {
        sets[i] = sets[i - 1] as KnownSet; // one place nearer to the front
        sets[i - 1] = known;
      }
      return known;
    }
    return undefined;
  }

  /** `set` was read from `text`, perhaps at this place, and is frozen. What was found least makes room for it. */
  learn(text: string, place: number, set: FieldSet): void {
    this.#misses++;
    if (this.#misses > missesMax && this.#misses % missesMax !== 0) return;
    const printed = encodeJson(set);
    // Others may print differently, or in another order.
    if (printed.length > knownSetCharsMax || !text.startsWith(printed, place)) return;
    if (this.#sets.length === knownSetsMax) this.#sets.pop();
    keepPrinted(deepFreeze(set));
    this.#sets.push({ text: printed, set });
  }
}
