/** Freezing, so that what many readers share cannot be changed by one of them. */

/** Freezes `value` and everything in it. A value that is already frozen is assumed to be deeply frozen. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  if (Array.isArray(value)) {
    for (const item of value) deepFreeze(item);
  } else {
    // Plain objects inherit nothing that is enumerable, and Object.keys would make a list for each of them.
    for (const key in value) deepFreeze((value as Record<string, unknown>)[key]);
  }
  return value;
}
