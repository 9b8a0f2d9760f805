/**
 * How an object differs from a template. Both are compared up to the first difference, and go on behind the next quotation mark, because
 * objects of one template differ in the values of strings:
 *
 *     template   {"name":"a1","node":"n7"}
 *     object     {"name":"b1","node":"n12"}
 *     changes    copy 21 bytes, with "b1" at the position 9; then replace 1 byte by "12"
 *                copy 2 bytes, with nothing changed; then replace nothing
 *
 * They are a string of such steps. A string takes less memory than a buffer, and none outside the heap.
 */

import { type Template, templateBytesMax } from "./templates.ts";

/** How many steps an object may have, so that it is copied in hardly more time than one that is held as it is. */
export const templateStepsMax = 6;

const quotationMark = 0x22;
/** Two numbers: how much is copied or removed, and how many patches or bytes follow. */
const headBytes = 4;
/** How far a patch is behind the one before it, in two bytes, and its length in one. */
const patchHeadBytes = 3;
const patchBytesMax = 255;

const steps = Buffer.allocUnsafeSlow(templateBytesMax);

/**
 * Of `own`, which has the sets of the template at `begins`. Undefined: the first `same` bytes differ, or there are too many changes, or they
 * take more than a quarter of its memory.
 */
export function changesFrom(
  template: Template,
  own: Buffer,
  view: DataView,
  begins: readonly number[],
  same: number,
): string | undefined {
  const { bytes, sets } = template;
  const max = own.length >> 2;
  let i = 0;
  let j = 0;
  let step = 0;
  let stepFrom = 0;
  let patches = 0;
  let patchedTo = 0;
  let to = headBytes;
  let count = 1;
  for (let piece = 0; piece <= sets.length; piece++) {
    const end = begins[piece] ?? own.length;
    const templateEnd = template.begins[piece] ?? bytes.length;
    for (;;) {
      const equal = equalBytes(view, i, end, template.view, j, templateEnd);
      i += equal;
      j += equal;
      if (i === end && j === templateEnd) break;
      const isIn = i < end && j < templateEnd;
      const nextI = isIn ? quoteFrom(own, i, end) : end;
      const nextJ = isIn ? quoteFrom(bytes, j, templateEnd) : templateEnd;
      const added = nextI - i;
      const removed = nextJ - j;
      if (j < same || count > templateStepsMax || to + added + 3 * headBytes > max) return undefined;
      const isPatch = added === removed && added <= patchBytesMax;
      if (isPatch) {
        writeNumber(j - patchedTo, to);
        steps[to + 2] = added;
        to += patchHeadBytes;
        patches++;
      } else {
        writeHead(j - stepFrom, patches, step);
        writeHead(removed, added, to);
        to += headBytes;
      }
      while (i < nextI) steps[to++] = own[i++] as number; // `i` is within bounds
      j = nextJ;
      patchedTo = j;
      if (isPatch) continue;
      count++;
      step = to;
      stepFrom = j;
      patches = 0;
      to += headBytes;
    }
    const length = sets[piece]?.length ?? 0;
    i += length;
    j += length;
  }
  writeHead(bytes.length - stepFrom, patches, step);
  writeHead(0, 0, to);
  return steps.toString("latin1", 0, to + headBytes);
}

/** How many bytes are equal from here on, in both up to their ends. */
function equalBytes(one: DataView, from: number, end: number, other: DataView, otherFrom: number, otherEnd: number) {
  const max = Math.min(end - from, otherEnd - otherFrom);
  let at = 0;
  while (at + 4 <= max && one.getInt32(from + at, true) === other.getInt32(otherFrom + at, true)) at += 4;
  while (at < max && one.getUint8(from + at) === other.getUint8(otherFrom + at)) at++;
  return at;
}

function quoteFrom(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  while (at < end && bytes[at] !== quotationMark) at++;
  return at;
}

function writeHead(length: number, count: number, at: number): void {
  writeNumber(length, at);
  writeNumber(count, at + 2);
}

function writeNumber(value: number, at: number): void {
  steps[at] = value >> 8;
  steps[at + 1] = value;
}

/** Characters are read where they are: to write them into a buffer first takes longer than to copy what they say. */
function readNumber(changes: string, at: number): number {
  return (changes.charCodeAt(at) << 8) | changes.charCodeAt(at + 1);
}

/**
 * Writes the bytes from `start` on, which is before the first change, to `target` at the position `at`; returns where they end. Adds to
 * `places` where the sets begin.
 */
export function copyChanged(
  template: Template,
  changes: string,
  target: Buffer,
  at: number,
  start: number,
  places?: number[],
): number {
  const { begins } = template;
  /** Where the next byte belongs. What is before `start` would be before `at`. */
  let end = at - start;
  let left = start;
  let from = 0;
  let next = 0;
  for (let step = 0; next < changes.length; step++) {
    const length = readNumber(changes, next);
    let patches = readNumber(changes, next + 2);
    next += headBytes;
    target.set(template.part(step, from + left, length - left), end + left);
    left = 0;
    for (let to = end; patches > 0; patches--) {
      to += readNumber(changes, next);
      const patchEnd = to + changes.charCodeAt(next + 2);
      next += patchHeadBytes;
      while (to < patchEnd) target[to++] = changes.charCodeAt(next++);
    }
    if (places !== undefined)
      for (let begin = begins[places.length]; begin !== undefined && begin < from + length; )
        begin = begins[places.push(end + begin - from)];
    end += length;
    from += length + readNumber(changes, next);
    const added = readNumber(changes, next + 2);
    next += headBytes;
    for (let i = 0; i < added; i++) target[end++] = changes.charCodeAt(next++);
  }
  return end;
}
