/** The order of keys: that of their UTF-8 bytes, which is not the order of JavaScript's strings. */

const asciiOnly = /^[\0-\x7f]*$/;

/**
 * A string whose native order (`<`, `startsWith`) is the UTF-8 byte order of `key`: one character per byte.
 *
 * "a" stays "a"; "é" becomes "\xc3\xa9". U+FFFD sorts before U+1F600 in UTF-8, but behind it as UTF-16 units.
 */
export function keyOrder(key: string): string {
  return asciiOnly.test(key) ? key : Buffer.from(key, "utf8").toString("latin1");
}
