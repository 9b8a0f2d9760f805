/** Sets of owned fields as bytes, each once for all the objects that have it. */

/** How many sets, and how many of their bytes, are kept to be found again; beyond that, sharing starts again with an empty table. */
export const sharedSetsMax = 1_024;
export const sharedSetsBytesMax = 4 * 1024 * 1024;
/** A smaller set takes hardly more memory than a reference to it does. */
export const sharedSetBytesMin = 256;
/** A larger set is rarely that of many objects. */
export const sharedSetBytesMax = 64 * 1024;
/** How many sets of the same length are known, and how many are tried before the end of a set is looked for. */
const sameLengthMax = 8;
const recentMax = 8;

const closingBrace = 0x7d;

export class SharedSets {
  readonly #byLength = new Map<number, Buffer[]>();
  /** Those found lately; frequently found ones come first. */
  readonly #recent: Buffer[] = [];
  #count = 0;
  #bytes = 0;

  get size(): number {
    return this.#count;
  }

  /** A set that was found lately and is in `bytes` from `begin` on, in front of a closing brace. */
  startingAt(bytes: Buffer, begin: number): Buffer | undefined {
    const recent = this.#recent;
    for (let at = 0; at < recent.length; at++) {
      const set = recent[at] as Buffer; // `at` is within bounds
      const end = begin + set.length;
      if (bytes[end] === closingBrace && bytes.compare(set, 0, set.length, begin, end) === 0)
        return advance(recent, at);
    }
    return undefined;
  }

  /** The set with the bytes between `begin` and `end`. Undefined: it was unknown until now, and the next object that has it shares it. */
  find(bytes: Buffer, begin: number, end: number): Buffer | undefined {
    const length = end - begin;
    if (length < sharedSetBytesMin || length > sharedSetBytesMax) return undefined;
    const known = this.#byLength.get(length) ?? [];
    for (let at = 0; at < known.length; at++) {
      const set = known[at] as Buffer; // as above
      if (bytes.compare(set, 0, length, begin, end) !== 0) continue;
      if (this.#recent.length === recentMax) this.#recent.pop();
      this.#recent.push(set);
      return advance(known, at);
    }
    this.#learn(bytes, begin, end);
    return undefined;
  }

  #learn(bytes: Buffer, begin: number, end: number): void {
    if (this.#count >= sharedSetsMax || this.#bytes + end - begin > sharedSetsBytesMax) this.#clear();
    // A separate buffer: a part of `bytes` would keep all of them alive.
    const set = Buffer.allocUnsafeSlow(end - begin);
    bytes.copy(set, 0, begin, end);
    const known = this.#byLength.get(set.length);
    if (known === undefined) this.#byLength.set(set.length, [set]);
    else if (known.length < sameLengthMax) known.push(set);
    else {
      known[sameLengthMax - 1] = set;
      return;
    }
    this.#count += 1;
    this.#bytes += set.length;
  }

  #clear(): void {
    this.#byLength.clear();
    this.#recent.length = 0;
    this.#count = 0;
    this.#bytes = 0;
  }
}

/** The set at this position, which moves one position to the front. */
function advance(sets: Buffer[], at: number): Buffer {
  const set = sets[at] as Buffer; // callers pass a position that exists
  if (at > 0) {
    sets[at] = sets[at - 1] as Buffer; // as above
    sets[at - 1] = set;
  }
  return set;
}
