/** Limits the cost of a JSON text: its size, depth and number of keys are checked in the bytes, before anything is built. */

import { badRequest, tooLarge } from "../status/status.ts";

/** The largest body of a request. */
export const bodyBytesMax = 3 * 1024 * 1024;
/** Deeper values would break cloning and printing later (structuredClone gives up at about 1,700). */
export const nestingMax = 1000;
/** Keys, lists and objects of a body together: each costs many times its bytes. */
export const partsMax = 300_000;

export function checkBodySize(bytes: Uint8Array): void {
  if (bytes.length > bodyBytesMax) throw tooLarge(`Request entity too large: limit is ${bodyBytesMax}`);
}

/** What one scan of the bytes finds out about the values. */
export interface JsonTraits {
  /** There may be integers of 16 digits or more, exponents, or halves of surrogate pairs: JSON.parse would not keep them. */
  readonly inexact: boolean;
  /** There is a number with a fraction or an exponent. */
  readonly fractional: boolean;
  /** How many members the objects have, each as often as it is there. */
  readonly members: number;
}

/** Throws for a text that nests too deep or has too many keys. It need not be JSON: the parser finds other errors. */
export function checkShape(bytes: Uint8Array, partsMost = partsMax): JsonTraits {
  let depth = 0;
  let parts = 0;
  let members = 0;
  /** The number of digits just before. */
  let digits = 0;
  let inexact = false;
  let fractional = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number; // at is within bounds
    if (byte >= 0x30 && byte <= 0x39) {
      if (++digits === 16) inexact = true;
      continue;
    }
    switch (byte) {
      case 0x22: // "
        for (at++; at < bytes.length && bytes[at] !== 0x22; at++) {
          if (bytes[at] !== 0x5c) continue;
          at++; // a backslash hides the next byte
          if (bytes[at] === 0x75 && ((bytes[at + 1] ?? 0) | 0x20) === 0x64) inexact = true; // \ud
        }
        break;
      case 0x5b: // [
      case 0x7b: // {
        if (++depth > nestingMax) throw badRequest(`the body nests deeper than ${nestingMax} levels`);
        parts++;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth--;
        break;
      case 0x3a: // :
        parts++;
        members++;
        break;
      case 0x2e: // .
        if (digits > 0) fractional = true;
        break;
      case 0x45: // E
      case 0x65: // e, also that of true and false
        if (digits > 0) inexact = fractional = true;
        break;
    }
    digits = 0;
    if (parts > partsMost) throw tooLarge(`the body has more than ${partsMost} keys, lists and objects`);
  }
  return { inexact, fractional, members };
}
