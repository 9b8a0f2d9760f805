/** Values of the wire's text form. */

import type { KvEntry } from "../contract.ts";
import type { PgRow } from "./session.ts";

/** The columns of an entry, in the order that `readEntry` expects. */
export const entryColumns = "key, value, revision, created";

export function readEntry([key, value, revision, created]: PgRow): KvEntry {
  return { key: readKey(key!), value: readBytes(value!), revision: BigInt(revision!), created: BigInt(created!) };
}

/** `\x616263` → bytes, with memory of their own: values are kept for long. */
export function readBytes(text: string): Uint8Array {
  const bytes = new Uint8Array((text.length - 2) / 2);
  Buffer.from(bytes.buffer).write(text.slice(2), "hex");
  return bytes;
}

export function readKey(text: string): string {
  return Buffer.from(text.slice(2), "hex").toString("utf8");
}

/** `{1,0,3}` → numbers. */
export function readNumbers(text: string): bigint[] {
  return text === "{}" ? [] : text.slice(1, -1).split(",").map(BigInt);
}

/** The end of a prefix: no UTF-8 text contains this byte, so it sorts behind every continuation. */
export function behind(prefix: Buffer): Buffer {
  return Buffer.concat([prefix, Buffer.of(0xff)]);
}
