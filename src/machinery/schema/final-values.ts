/**
 * Large values that never change once they were decoded, such as the schema of a definition with thousands of properties. They are
 * printed once, and found again by how they are printed: an object whose schema stays the same then shares one frozen value
 * with the state before, and nothing parses, copies, compares or prints it again.
 */

import { Pace, type Steps } from "../../base/time-slice.ts";
import { type FinalFacts, finalFacts, setFinalFacts } from "../json/final-facts.ts";
import { encodeJson } from "../json/json.ts";
import { deepFreeze } from "../json/json-value.ts";
import { isSmall } from "../json/parts.ts";

/** A value with fewer parts than this is not cached. */
export const largePartsMin = 1_000;
/** Parts that are printed together. */
const partsAtOnceMax = 50;
/** How many bytes of text of the values that were used last are kept even if no object has them any more. */
export const keptTextBytesMax = 4 * 1024 * 1024;

/** All values that are still in memory. */
let known: WeakRef<object>[] = [];

/** Those that were used last, the newest last, and the bytes of their texts. */
class LastUsed {
  readonly values = new Set<object>();
  #bytes = 0;

  keep(value: object, bytes: number): void {
    if (this.values.delete(value)) this.#bytes -= bytes;
    this.values.add(value);
    this.#bytes += bytes;
    for (const oldest of this.values) {
      if (this.#bytes <= keptTextBytesMax || oldest === value) break;
      this.values.delete(oldest);
      this.#bytes -= finalFacts(oldest)?.text.length ?? 0;
    }
  }
}
const lastUsed = new LastUsed();

/** The value that is printed as `text`, which is the given one unless an equal one is known. It is frozen. */
export function rememberFinal(value: object, { members, text }: FinalFacts): object {
  const found = finalAt(text, 0);
  if (found !== undefined && finalFacts(found)?.text.length === text.length) return found;
  setFinalFacts(value, { members, text });
  known.push(new WeakRef(value));
  lastUsed.keep(value, text.length);
  return value;
}

/** The value whose text begins at `place`; undefined: it is not known. No text of an object begins with the whole text of another. */
export function finalAt(bytes: Uint8Array, place: number): object | undefined {
  let isSparse = false;
  for (const ref of known) {
    const value = ref.deref();
    const text = value && finalFacts(value)?.text;
    if (text === undefined) isSparse = true;
    else if (text.equals(bytes.subarray(place, place + text.length))) {
      lastUsed.keep(value as object, text.length); // a value that has a text
      return value;
    }
  }
  if (isSparse) known = known.filter((ref) => ref.deref() !== undefined);
  return undefined;
}

/** For tests. */
export const keptFinals = (): ReadonlySet<object> => lastUsed.values;

/** A large value as JSON, and frozen, in steps. */
export function* freezeAndPrint(value: object): Steps<Buffer> {
  const pieces: string[] = [];
  yield* printPart(value, pieces, new Pace());
  yield;
  return Buffer.from(pieces.join(""));
}

function* printPart(part: unknown, pieces: string[], pace: Pace): Steps<void> {
  if (pace.isDue) yield;
  if (typeof part !== "object" || part === null || isSmall(part, partsAtOnceMax)) {
    pieces.push(encodeJson(deepFreeze(part)));
    return;
  }
  Object.freeze(part);
  let separator = "";
  if (Array.isArray(part)) {
    pieces.push("[");
    for (const item of part) {
      pieces.push(separator);
      separator = ",";
      yield* printPart(item, pieces, pace);
    }
    pieces.push("]");
    return;
  }
  pieces.push("{");
  for (const key of Object.keys(part)) {
    pieces.push(`${separator}${JSON.stringify(key)}:`);
    separator = ",";
    yield* printPart((part as Record<string, unknown>)[key], pieces, pace); // an object that is not a list
  }
  pieces.push("}");
}
