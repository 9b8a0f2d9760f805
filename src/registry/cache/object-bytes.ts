/**
 * The bytes of an object as the cache holds them. Objects made from one template own the same fields, and the sets of these are
 * nearly half of a pod's bytes, so each set is held once for all of them:
 *
 *     whole   …"managedFields":[{"manager":"m",…,"fieldsV1":{"f:spec":{…}}}]},"spec":{…}}
 *     own     …"managedFields":[{"manager":"m",…,"fieldsV1":}]},"spec":{…}}
 *     sets    {"f:spec":{…}}, which belongs at the position behind "fieldsV1":
 *
 * Versions of one object often have the same spec. It is held once in the same way, from the end of the managed fields to the status.
 */

import { SharedSets, sharedSetBytesMin } from "./shared-sets.ts";

/** How many sets of one object are looked up: an object has a few managers. */
export const setsOfObjectMax = 16;

const opening = Buffer.from('"managedFields":[');
const label = Buffer.from('"fieldsV1":{');
/** A set comes last in its entry, so it ends where these begin: the end of an entry, with the next one or the end of all behind it. */
const nextEntry = Buffer.from("}},{");
const lastEntry = Buffer.from("}}]");

/** Where the managed fields end, and where the status begins. */
const metadataEnd = Buffer.from("]},");
const status = Buffer.from(',"status":{');

const comma = 0x2c;
const openingBrace = 0x7b;

const known = new SharedSets();

/** How many objects stay joined after they were read, and up to what size: what is read often is joined once. */
const joinedMax = 128;
const joinedBytesMax = 16 * 1024;
const scratch = Buffer.allocUnsafeSlow(joinedBytesMax);

export class ObjectBytes {
  /** Those that are joined, as a ring: the next one takes the place of the oldest. */
  static readonly #recent: ObjectBytes[] = [];
  static #next = 0;

  /** The length of the whole object. */
  readonly length: number;
  #own: Buffer;
  /** Where the sets belong in `#own`, ascending. */
  #places: readonly number[];
  #sets: readonly Buffer[];
  #joined: Buffer | undefined;

  constructor(length: number, own: Buffer, places: readonly number[], sets: readonly Buffer[]) {
    this.length = length;
    this.#own = own;
    this.#places = places;
    this.#sets = sets;
  }

  /** The whole object. */
  join(): Buffer {
    if (this.#joined !== undefined) return this.#joined;
    const whole = Buffer.allocUnsafeSlow(this.length);
    this.copyTo(whole, 0, 0);
    if (whole.length <= joinedBytesMax) this.#stayJoined(whole);
    return whole;
  }

  /** As `join`, for a reader that keeps none of the bytes: they change with the next call. */
  peek(): Buffer {
    if (this.#joined !== undefined || this.length > scratch.length) return this.join();
    return scratch.subarray(0, this.copyTo(scratch, 0, 0));
  }

  /** The text of the object with `mark` in place of each set, and these sets in order. Undefined: it is too large. */
  textAround(mark: Buffer): { readonly text: string; readonly sets: readonly Buffer[] } | undefined {
    if (this.length > scratch.length) return undefined;
    const end = this.#copy(scratch, 0, 0, mark);
    return { text: scratch.toString("utf8", 0, end), sets: this.#sets.filter(isFieldSet) };
  }

  #stayJoined(whole: Buffer): void {
    this.#joined = whole;
    const oldest = ObjectBytes.#recent[ObjectBytes.#next];
    if (oldest !== undefined) oldest.#joined = undefined;
    ObjectBytes.#recent[ObjectBytes.#next] = this;
    ObjectBytes.#next = (ObjectBytes.#next + 1) % joinedMax;
  }

  /** Writes the bytes from `start` on, which is before the first set, to `target` at the position `at`; returns where they end. */
  copyTo(target: Buffer, at: number, start: number): number {
    return this.#copy(target, at, start, undefined);
  }

  /** `mark`: what is written in place of each set of fields. */
  #copy(target: Buffer, at: number, start: number, mark: Buffer | undefined): number {
    const own = this.#own;
    let end = at;
    let from = start;
    for (let i = 0; i < this.#sets.length; i++) {
      const part = this.#sets[i] as Buffer; // `i` is within bounds
      const place = this.#places[i] as number; // each part has one
      const shown = mark !== undefined && isFieldSet(part) ? mark : part;
      target.set(own.subarray(from, place), end);
      end += place - from;
      target.set(shown, end);
      end += shown.length;
      from = place;
    }
    target.set(own.subarray(from), end);
    return end + own.length - from;
  }

  /**
   * Holds the spec once for all versions of an object that have it in a row. An object with only one version keeps it among its own
   * bytes: most objects are never changed, and a separate buffer takes a tenth of their memory.
   */
  shareSpec(before: ObjectBytes): void {
    const own = this.#own;
    const begin = this.#specAt();
    if (begin < 0) return;
    const statusAt = own.lastIndexOf(status);
    const spec = own.subarray(begin, statusAt > begin ? statusAt : own.length);
    if (spec.length < sharedSetBytesMin) return;
    const shared = before.#sets.at(-1);
    if (shared?.equals(spec)) {
      this.#cutAt(begin, shared);
      return;
    }
    const beginBefore = before.#specAt();
    if (beginBefore < 0 || !before.#own.subarray(beginBefore, beginBefore + spec.length).equals(spec)) return;
    const copy = copyOf(spec);
    this.#cutAt(begin, copy);
    before.#cutAt(beginBefore, copy);
  }

  #specAt(): number {
    return this.#own.indexOf(metadataEnd, this.#places.at(-1));
  }

  #cutAt(place: number, part: Buffer): void {
    const own = Buffer.allocUnsafeSlow(this.#own.length - part.length);
    own.set(this.#own.subarray(0, place));
    own.set(this.#own.subarray(place + part.length), place);
    this.#own = own;
    // Unlike a spread, this leaves no space for further items.
    this.#places = this.#places.concat(place);
    this.#sets = this.#sets.concat(part);
  }

  /** How many bytes are not shared. */
  get ownLength(): number {
    return this.#own.length;
  }
}

/**
 * The bytes of `body` with `inserted` at the position `at`, without the sets behind it that other objects have too. What is cut out need not
 * be a set: whatever is between the marks is put back in the same place.
 */
export function keepBytes(body: Buffer, at: number, inserted: string): Buffer | ObjectBytes {
  const begins: number[] = [];
  const sets: Buffer[] = [];
  findSets(body, at, begins, sets);
  const whole = body.length + inserted.length;
  let length = whole;
  for (let i = 0; i < sets.length; i++) length -= (sets[i] as Buffer).length; // `i` is within bounds
  // A separate buffer: a slice of Node's pool would keep eight kilobytes alive for as long as the entry lives.
  const own = Buffer.allocUnsafeSlow(length);
  own.set(body.subarray(0, at), 0);
  let end = at + own.write(inserted, at, "latin1");
  let from = at;
  const places: number[] = [];
  for (let i = 0; i < sets.length; i++) {
    const begin = begins[i] as number; // each set has one
    own.set(body.subarray(from, begin), end);
    end += begin - from;
    places.push(end);
    from = begin + (sets[i] as Buffer).length; // as above
  }
  own.set(body.subarray(from), end);
  // Copies have no space for further items, which would take as much as all the rest of an entry.
  return sets.length === 0 ? own : new ObjectBytes(whole, own, places.slice(), sets.slice());
}

/** Whether a part that was cut out is a set of fields. A spec begins behind the managed fields, with a bracket. */
const isFieldSet = (part: Buffer): boolean => part[0] === openingBrace;

/** In a buffer of its own. */
function copyOf(part: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(part.length);
  copy.set(part);
  return copy;
}

/** Adds the sets of `body` that are shared, and where they begin. */
function findSets(body: Buffer, from: number, begins: number[], sets: Buffer[]): void {
  const managed = body.indexOf(opening, from);
  if (managed < 0) return;
  let at = body.indexOf(label, managed);
  for (let looked = 0; at >= 0 && looked < setsOfObjectMax; looked++) {
    const begin = at + label.length - 1;
    let set = known.startingAt(body, begin);
    if (set === undefined) {
      const next = body.indexOf(label, begin);
      const end = next < 0 ? body.indexOf(lastEntry, begin) + 1 : body.lastIndexOf(nextEntry, next) + 1;
      if (end > begin) set = known.find(body, begin, end);
      at = next;
    } else {
      // The brace behind the set ends its entry.
      const after = begin + set.length + 1;
      at = body[after] === comma ? body.indexOf(label, after) : -1;
    }
    if (set === undefined) continue;
    begins.push(begin);
    sets.push(set);
  }
}
