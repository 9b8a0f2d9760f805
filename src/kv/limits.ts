/** The checks every store makes before it touches a key or a value, so that all of them refuse the same things. */

import { commitBytesMax, commitWritesMax, KvError, type KvWrite, keyBytesMax, valueBytesMax } from "./contract.ts";

/** A key is well-formed, not empty and not longer than `keyBytesMax`. NUL and every other character are allowed. */
export function checkKey(key: string): void {
  if (key.length === 0) throw new TypeError("a key must not be empty");
  checkPrefix(key);
}

/** A prefix or a start is a key that may be empty. */
export function checkPrefix(prefix: string): void {
  // The length in UTF-16 units is a lower bound of the length in bytes: it saves the walk over a hostile, huge string.
  if (prefix.length > keyBytesMax || (prefix.length * 3 > keyBytesMax && Buffer.byteLength(prefix) > keyBytesMax)) {
    throw new KvError("too-large", `a key must not exceed ${keyBytesMax} bytes`);
  }
  // UTF-8 turns every lone surrogate into the same replacement character, so two keys would become one.
  if (!prefix.isWellFormed()) throw new TypeError("a key must not contain a lone surrogate");
}

export function checkValue(value: Uint8Array): void {
  if (value.byteLength > valueBytesMax) {
    throw new KvError(
      "too-large",
      `a value must not exceed ${valueBytesMax} bytes, and this one has ${value.byteLength}`,
    );
  }
}

/** The writes of one commit: not too many, of different keys, and each as it might be written alone. */
export function checkWrites(writes: readonly KvWrite[], writesMax = commitWritesMax): void {
  if (writes.length > writesMax)
    throw new KvError(
      "too-large",
      `a commit must not have more than ${writesMax} writes, and this one has ${writes.length}`,
    );
  const keys = new Set<string>();
  let bytes = 0;
  for (const { key, value } of writes) {
    checkKey(key);
    if (value !== undefined) checkValue(value);
    if (keys.has(key)) throw new TypeError(`a commit must not name the key ${key} twice`);
    keys.add(key);
    bytes += Buffer.byteLength(key) + (value?.byteLength ?? 0);
  }
  if (bytes > commitBytesMax)
    throw new KvError("too-large", `a commit must not exceed ${commitBytesMax} bytes, and this one has ${bytes}`);
}
