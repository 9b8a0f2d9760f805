/** What a JSON text may cost: its size, depth and number of keys are checked over the bytes, before anything is built. */

import { badRequest, tooLarge } from "../status/status.ts";

/** The largest body of a request. */
export const bodyBytesMax = 3 * 1024 * 1024;
/** Deeper values would break cloning and printing further on (structuredClone gives up at about 1,700). */
export const nestingMax = 1000;
/** Keys, lists and objects together: far above any object that fits into the store, and each costs many times its bytes. */
export const partsMax = 300_000;

export function checkBodySize(bytes: Uint8Array): void {
  if (bytes.length > bodyBytesMax) throw tooLarge(`the body must have at most ${bodyBytesMax} bytes`);
}

/** Throws for what nests too deep or has too many keys. It need not be JSON: the parser finds other faults. */
export function checkShape(bytes: Uint8Array): void {
  // A level takes two bytes, so a short body cannot be deep and need not be looked at.
  if (bytes.length <= 2 * nestingMax) return;
  let depth = 0;
  let parts = 0;
  for (let at = 0; at < bytes.length; at++) {
    switch (bytes[at]) {
      case 0x22: // "
        at = endOfString(bytes, at + 1);
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
        break;
    }
    if (parts > partsMax) throw badRequest(`the body has more than ${partsMax} keys, lists and objects`);
  }
}

/** Where the closing quote is, or the end. */
function endOfString(bytes: Uint8Array, from: number): number {
  let at = from;
  for (; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === 0x22) break;
    if (byte === 0x5c) at++; // a backslash hides the next byte
  }
  return at;
}
