/** Sizes as `size()` and costs count them: characters, bytes, items, entries. */

import type { Meter } from "../evaluate/frame.ts";
import { Bytes, Dictionary, type EvaluationError, List, ObjectValue, Opaque, type Value } from "./values.ts";

/** 1 for what has no size. */
export function sizeOf(value: Value): number {
  if (typeof value === "string") return textSize(value);
  if (typeof value !== "object" || value === null) return 1;
  if (value instanceof List || value instanceof Dictionary || value instanceof ObjectValue) return value.size;
  if (value instanceof Bytes) return value.value.length;
  return value instanceof Opaque ? value.size : 1;
}

/** The engine knows that most texts have none, without reading them. */
const surrogate = /[\ud800-\udfff]/;

/** Code points. */
export function textSize(text: string): number {
  if (!surrogate.test(text)) return text.length;
  let size = text.length;
  for (let at = 0; at < text.length; at++) {
    // A pair of surrogates is one character.
    if ((text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00) size--;
  }
  return size;
}

/** Listing a key, for the work of an evaluation. */
const workOfKey = 2;

/** Lists the keys of a map, as its size needs it. An object that an expression reaches in many ways would be listed each time. */
export function listKeys(map: Dictionary, meter: Meter): EvaluationError | undefined {
  return map.isListed ? undefined : meter.work(map.keys().length * workOfKey);
}

/** The smaller of two sizes. A long text beside a short one is not counted: it has at least half as many characters as units. */
export function smallerSize(a: Value, b: Value): number {
  if (typeof a === "string" && typeof b === "string") {
    if (a.length >= 2 * b.length) return textSize(b);
    if (b.length >= 2 * a.length) return textSize(a);
    return Math.min(textSize(a), textSize(b));
  }
  return Math.min(sizeOf(a), sizeOf(b));
}
