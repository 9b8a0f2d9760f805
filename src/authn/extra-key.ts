/** Keys of extra attributes as they stand in header names: percent-encoded. */

/** One with a broken escape is kept as it is. */
export function decodeExtraKey(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}
