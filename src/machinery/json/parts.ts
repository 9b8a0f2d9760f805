/** How much of a value is worked on in one step. */

/** A value of no more parts than this is worked on in one step. */
export const partsPerStep = 1_000;
/** Small values that are worked on in one step. */
export const valuesPerStep = 100;

/** Whether a value has few parts; of a large one only this many are counted. */
export function isSmall(value: unknown, partsMax = partsPerStep): boolean {
  return partsLeft(value, partsMax) >= 0;
}

/** Whether an object has more members than this. */
export function hasMoreKeys(value: object, keysMax: number): boolean {
  if (hasLarge && (large.get(value) ?? 0) > keysMax) return true;
  const { length } = Object.keys(value);
  if (length > partsPerStep) rememberLarge(value, length);
  return length > keysMax;
}

/**
 * How many parts objects have that were found to have very many. Listing 50,000 keys takes long, so it is done once. An object that
 * has become smaller since is only worked on in more steps than it needs.
 */
const large = new WeakMap<object, number>();
/** Whether there has been any: looking for each object would take longer than listing its keys. */
let hasLarge = false;

function rememberLarge(value: object, keys: number): void {
  large.set(value, keys);
  hasLarge = true;
}

/** Members are not listed first: the lists would be most of the work. */
function partsLeft(value: unknown, parts: number): number {
  if (typeof value !== "object" || value === null) return parts;
  let left = parts;
  if (Array.isArray(value)) {
    left -= value.length;
    for (let at = 0; at < value.length && left >= 0; at++) left = partsLeft(value[at], left);
    return left;
  }
  if (hasLarge && (large.get(value) ?? 0) > parts) return -1;
  let keys = 0;
  for (const key in value) {
    keys++;
    // To list them takes longer than to count the rest of them.
    if (left >= 0 && --left >= 0) left = partsLeft((value as Record<string, unknown>)[key], left); // a member of an object
  }
  if (left < 0 && keys > partsPerStep) rememberLarge(value, keys);
  return left;
}
