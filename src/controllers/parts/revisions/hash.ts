/** Short names for templates and revisions, in the form in which v1.21 makes them. */

import { printRaw, printSorted } from "../../../machinery/json/go-json.ts";

/** No vowels and no digits that look like letters, so that no words result. */
const letters = "bcdfghjklmnpqrstvwxz2456789";
const fnvOffset = 0x811c9dc5;
const fnvPrime = 0x01000193;

/** The hash of a pod template, as in the label pod-template-hash; `collisionCount` distinguishes templates with the same hash. */
export function templateHash(template: unknown, collisionCount?: number): string {
  const bytes = Buffer.from(printSorted(template));
  const suffix = Buffer.alloc(collisionCount === undefined ? 0 : 8);
  if (collisionCount !== undefined) suffix.writeUInt32LE(collisionCount);
  return encode(fnv32a(Buffer.concat([bytes, suffix])));
}

/** The hash of the data of a ControllerRevision, whose members are sorted: to sort a megabyte of them again takes longer than all else. */
export function revisionHash(data: unknown, collisionCount?: number): string {
  return encode(fnv32(Buffer.from(`${printRaw(data)}${collisionCount ?? ""}`)));
}

export function fnv32a(bytes: Uint8Array): number {
  let hash = fnvOffset | 0;
  for (let at = 0; at < bytes.length; at++) hash = Math.imul(hash ^ bytes[at]!, fnvPrime);
  return hash >>> 0;
}

function fnv32(bytes: Uint8Array): number {
  let hash = fnvOffset | 0;
  for (let at = 0; at < bytes.length; at++) hash = Math.imul(hash, fnvPrime) ^ bytes[at]!;
  return hash >>> 0;
}

/** The decimal digits of the hash, each as one of `letters`. */
function encode(hash: number): string {
  return Array.from(String(hash), (digit) => letters[digit.charCodeAt(0) % letters.length]).join("");
}
