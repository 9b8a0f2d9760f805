/** How much of a value is worked on in one step. */

/** A value of no more parts than this is worked on in one step. */
export const partsPerStep = 1_000;
/** Small values that are worked on in one step. */
export const valuesPerStep = 100;

/** Whether a value has few parts; of a large one only this many are counted. */
export function isSmall(value: unknown, partsMax = partsPerStep): boolean {
  return partsLeft(value, partsMax) >= 0;
}

function partsLeft(value: unknown, parts: number): number {
  if (typeof value !== "object" || value === null) return parts;
  let left = parts;
  if (Array.isArray(value)) {
    left -= value.length;
    for (let at = 0; at < value.length && left >= 0; at++) left = partsLeft(value[at], left);
    return left;
  }
  for (const key in value) {
    left -= 1;
    if (left < 0) return left;
    left = partsLeft((value as Record<string, unknown>)[key], left); // an object
  }
  return left;
}
