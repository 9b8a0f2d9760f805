/** Sets of owned fields that were read lately, found again by how they are printed: the text of a set decides the set. */

import { decodeStoredText, encodeJson } from "../json/json.ts";
import { deepFreeze, isObject } from "../json/json-value.ts";
import { isSmall } from "../json/parts.ts";
import type { FieldSet } from "./field-set.ts";
import { keepPrinted } from "./print-managed.ts";

/** How many are known, and of what length. A lookup compares the text with the beginnings of all. */
export const knownSetsMax = 16;
export const knownSetCharsMax = 32 * 1024;

/** No set of more fields is that short: each is printed as "f:a":{} at least. */
const knownSetPartsMax = knownSetCharsMax / 8;

/** If no set repeats, few are learned: after this many without a hit, only one in as many. */
const missesMax = 64;

interface KnownSet {
  readonly text: string;
  /** The bytes that it was last read from by `of`. */
  bytes: Buffer | undefined;
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
      if (text.startsWith(known.text, place)) return this.#found(i, known);
    }
    return undefined;
  }

  /** The set that is printed in `bytes`; undefined: none is. Objects that share the bytes of a set share the set, and read it once. */
  of(bytes: Buffer): FieldSet | undefined {
    const sets = this.#sets;
    for (let i = 0; i < sets.length; i++) {
      const known = sets[i] as KnownSet; // as above
      if (known.bytes === bytes) return this.#found(i, known).set;
    }
    const text = bytes.toString();
    const found = this.at(text, 0);
    if (found === undefined || found.text.length !== text.length) return this.#read(text);
    found.bytes = bytes;
    return found.set;
  }

  #read(text: string): FieldSet | undefined {
    try {
      const set = decodeStoredText(text);
      if (!isObject(set)) return undefined;
      this.learn(text, 0, set as FieldSet); // nothing else is stored where sets are
      return set as FieldSet; // as above
    } catch {
      return undefined; // only a part of a set, or more than one
    }
  }

  #found(at: number, known: KnownSet): KnownSet {
    const sets = this.#sets;
    this.#misses = 0;
    if (at > 0) {
      sets[at] = sets[at - 1] as KnownSet; // one position closer to the front
      sets[at - 1] = known;
    }
    return known;
  }

  /** `set` was read from `text`, perhaps at this position, and is frozen. It replaces the least frequently found one. */
  learn(text: string, place: number, set: FieldSet): void {
    this.#misses++;
    if (this.#misses > missesMax && this.#misses % missesMax !== 0) return;
    // Printing it only to find that it is too long takes as long as reading it.
    if (!isSmall(set, knownSetPartsMax)) return;
    const printed = encodeJson(set);
    // Other programs may print differently, or in another order.
    if (printed.length > knownSetCharsMax || !text.startsWith(printed, place)) return;
    if (this.#sets.length === knownSetsMax) this.#sets.pop();
    keepPrinted(deepFreeze(set));
    this.#sets.push({ text: printed, bytes: undefined, set });
  }
}
