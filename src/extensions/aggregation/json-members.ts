/** Finds the members of objects in a JSON text without parsing their values, in time slices: documents of others may be large. */

import { nextTimeSlice } from "../../base/time-slice.ts";

export interface JsonMember {
  readonly key: string;
  /** Where its value begins and ends in the text. */
  readonly start: number;
  readonly end: number;
}

/** How many bytes are scanned in one time slice. */
const sliceBytes = 512 * 1024;

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const isSpace = (byte: number | undefined) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
const opens = (byte: number | undefined) => byte === 0x7b || byte === 0x5b;
const closes = (byte: number | undefined) => byte === 0x7d || byte === 0x5d;

/** The members of the object that begins at `start` (after spaces). Throws an Error if there is none; values are not checked. */
export async function jsonMembers(bytes: Buffer, start = 0): Promise<readonly JsonMember[]> {
  const members: JsonMember[] = [];
  let at = skipSpaces(bytes, start);
  if (bytes[at] !== 0x7b) throw notJson(at);
  at = skipSpaces(bytes, at + 1);
  let pauseAt = at + sliceBytes;
  while (bytes[at] !== 0x7d) {
    if (bytes[at] !== quote) throw notJson(at);
    const keyEnd = stringEnd(bytes, at);
    const key = String(JSON.parse(bytes.toString("utf8", at, keyEnd)));
    at = skipSpaces(bytes, keyEnd);
    if (bytes[at] !== colon) throw notJson(at);
    const valueStart = skipSpaces(bytes, at + 1);
    let depth = 0;
    for (at = valueStart; at < bytes.length; ) {
      const byte = bytes[at];
      if (byte === quote) at = stringEnd(bytes, at);
      else {
        if (depth === 0 && (byte === comma || closes(byte))) break;
        if (opens(byte)) depth++;
        else if (closes(byte)) depth--;
        at++;
      }
      if (at >= pauseAt) {
        await nextTimeSlice();
        pauseAt = at + sliceBytes;
      }
    }
    if (at >= bytes.length || at === valueStart) throw notJson(at);
    members.push({ key, start: valueStart, end: at });
    if (bytes[at] === comma) at = skipSpaces(bytes, at + 1);
  }
  return members;
}

function skipSpaces(bytes: Buffer, start: number): number {
  let at = start;
  while (isSpace(bytes[at])) at++;
  return at;
}

/** The index after the string that begins at `start`. */
function stringEnd(bytes: Buffer, start: number): number {
  for (let at = start + 1; ; ) {
    const end = bytes.indexOf(quote, at);
    if (end < 0) throw notJson(bytes.length);
    let slashes = 0;
    while (bytes[end - 1 - slashes] === backslash) slashes++;
    if (slashes % 2 === 0) return end + 1;
    at = end + 1;
  }
}

const notJson = (at: number) => new Error(`the document is not JSON at byte ${at}`);
