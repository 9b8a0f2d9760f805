/**
 * The bytes of an object as the cache holds them. Objects made from one template own the same fields, and the sets of these are
 * nearly half of a pod's bytes, so each set is held once for all of them:
 *
 *     whole   …"managedFields":[{"manager":"m",…,"fieldsV1":{"f:spec":{…}}}]},"spec":{…}}
 *     own     …"managedFields":[{"manager":"m",…,"fieldsV1":}]},"spec":{…}}
 *     sets    {"f:spec":{…}}, which belongs at the position behind "fieldsV1":
 *
 * Such objects differ in a few values, and so do versions of one object. If an object is like a template, only the difference is held.
 */

import { SharedSets } from "./shared-sets.ts";
import { changesFrom, copyChanged } from "./template-changes.ts";
import { Template, Templates, templateBytesMax } from "./templates.ts";

/** How many sets of one object are looked up: an object has a few managers. */
export const setsOfObjectMax = 16;

const opening = Buffer.from('"managedFields":[');
const label = Buffer.from('"fieldsV1":{');
/** A set comes last in its entry, so it ends where these begin: the end of an entry, with the next one or the end of all behind it. */
const nextEntry = Buffer.from("}},{");
const lastEntry = Buffer.from("}}]");

const comma = 0x2c;

const known = new SharedSets();
const templates = new Templates();

/** How many objects stay joined after they were read, and up to what size: what is read often is joined once. */
const joinedMax = 128;
const joinedBytesMax = 16 * 1024;
const scratch = Buffer.allocUnsafeSlow(joinedBytesMax);
/** Where an object is put together in order to compare it with a template. */
const compared = Buffer.allocUnsafeSlow(templateBytesMax);
const comparedView = new DataView(compared.buffer);

export abstract class ObjectBytes {
  /** Those that are joined, as a ring: the next one takes the place of the oldest. */
  static readonly #recent: ObjectBytes[] = [];
  static #next = 0;

  /** The length of the whole object. */
  readonly length: number;
  #joined: Buffer | undefined;

  constructor(length: number) {
    this.length = length;
  }

  /** The sets that it shares with others, in order. */
  abstract readonly sets: readonly Buffer[];

  /** How many bytes it does not share. */
  abstract readonly ownLength: number;

  /** Writes the bytes from `start` on, which is before the first set, to `target` at the position `at`; returns where they end. */
  abstract copyTo(target: Buffer, at: number, start: number): number;

  /** Writes all of them to `target`, with `mark` in place of each set; returns where they end. */
  abstract copyAround(mark: Buffer, target: Buffer): number;

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
    return { text: scratch.toString("utf8", 0, this.copyAround(mark, scratch)), sets: this.sets };
  }

  #stayJoined(whole: Buffer): void {
    this.#joined = whole;
    const oldest = ObjectBytes.#recent[ObjectBytes.#next];
    if (oldest !== undefined) oldest.#joined = undefined;
    ObjectBytes.#recent[ObjectBytes.#next] = this;
    ObjectBytes.#next = (ObjectBytes.#next + 1) % joinedMax;
  }
}

/** An object without the sets that it shares. */
class CutBytes extends ObjectBytes {
  readonly sets: readonly Buffer[];
  readonly #own: Buffer;
  /** Where the sets belong in `#own`, ascending. */
  readonly #places: readonly number[];

  constructor(length: number, own: Buffer, places: readonly number[], sets: readonly Buffer[]) {
    super(length);
    this.#own = own;
    this.#places = places;
    this.sets = sets;
  }

  get ownLength(): number {
    return this.#own.length;
  }

  copyTo(target: Buffer, at: number, start: number): number {
    return this.#copy(target, at, start, undefined);
  }

  copyAround(mark: Buffer, target: Buffer): number {
    return this.#copy(target, 0, 0, mark);
  }

  #copy(target: Buffer, at: number, start: number, mark: Buffer | undefined): number {
    const own = this.#own;
    let end = at;
    let from = start;
    for (let i = 0; i < this.sets.length; i++) {
      const shown = mark ?? (this.sets[i] as Buffer); // `i` is within bounds
      const place = this.#places[i] as number; // each set has one
      target.set(own.subarray(from, place), end);
      end += place - from;
      target.set(shown, end);
      end += shown.length;
      from = place;
    }
    target.set(own.subarray(from), end);
    return end + own.length - from;
  }
}

/** An object as a template and what differs from it. */
class ChangedBytes extends ObjectBytes {
  readonly #template: Template;
  readonly #changes: string;

  constructor(length: number, template: Template, changes: string) {
    super(length);
    this.#template = template;
    this.#changes = changes;
  }

  get sets(): readonly Buffer[] {
    return this.#template.sets;
  }

  get ownLength(): number {
    return this.#changes.length;
  }

  copyTo(target: Buffer, at: number, start: number): number {
    return copyChanged(this.#template, this.#changes, target, at, start);
  }

  copyAround(mark: Buffer, target: Buffer): number {
    const places: number[] = [];
    let end = copyChanged(this.#template, this.#changes, target, 0, 0, places);
    for (let i = places.length - 1; i >= 0; i--) {
      const place = places[i] as number; // `i` is within bounds
      const { length } = this.sets[i] as Buffer; // each place is that of a set
      target.copyWithin(place + mark.length, place + length, end);
      target.set(mark, place);
      end += mark.length - length;
    }
    return end;
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
  const length = body.length + inserted.length;
  const changed =
    sets.length === 0 || length > templateBytesMax ? undefined : compare(body, at, inserted, begins, sets);
  return changed ?? cut(body, at, inserted, begins, sets);
}

/** Undefined: no template is similar enough, so the object becomes a template for later ones. */
function compare(
  body: Buffer,
  at: number,
  inserted: string,
  begins: readonly number[],
  sets: readonly Buffer[],
): ObjectBytes | undefined {
  const length = body.length + inserted.length;
  const whole = compared.subarray(0, length);
  whole.set(body.subarray(0, at));
  whole.set(body.subarray(at), at + whole.write(inserted, at, "latin1"));
  const moved = begins.map((begin) => begin + inserted.length);
  const template = templates.find(length, moved, sets);
  // Lists print objects from a position before `at` on, so what is before it must be the same.
  const changes = template && changesFrom(template, whole, comparedView, moved, at);
  if (template !== undefined && changes !== undefined) return new ChangedBytes(length, template, changes);
  templates.add(new Template(whole, moved, sets));
  return undefined;
}

function cut(
  body: Buffer,
  at: number,
  inserted: string,
  begins: readonly number[],
  sets: readonly Buffer[],
): Buffer | ObjectBytes {
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
  return sets.length === 0 ? own : new CutBytes(whole, own, places.slice(), sets.slice());
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
