/** Keys of extra attributes as written in header names: percent-encoded. */

/** A key with a broken escape is kept unchanged. */
export function decodeExtraKey(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}
