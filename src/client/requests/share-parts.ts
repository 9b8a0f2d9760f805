/**
 * Keeps equal parts of neighbouring objects once. Objects of a resource are much alike (labels, templates, managed fields), and a client that
 * holds all of them would otherwise need more memory for them than their JSON has bytes.
 *
 *   { a: { x: 1 }, b: { y: 2 } }  then  { a: { x: 1 }, b: { y: 3 } }     the second one has the same `a` as the first
 */

/** Deeper parts stay as they are, so that an object of a foreign server cannot exhaust the stack. */
export const sharedDepthMax = 64;

/** `next` must not be used by others yet: its parts are replaced in place. The result is `before` if all of it is equal. */
export function shareParts<T>(before: unknown, next: T, depth = 0): T {
  if (before === next) return before as T; // equal texts, of which the first one stays
  if (typeof next !== "object" || typeof before !== "object" || next === null || before === null) return next;
  if (depth >= sharedDepthMax || Array.isArray(next) !== Array.isArray(before)) return next;
  const [old, own] = [before as Record<string, unknown>, next as Record<string, unknown>]; // both are arrays, or both are not
  const keys = Object.keys(own);
  let isSame = keys.length === Object.keys(old).length;
  for (const key of keys) {
    // To assign it would change the prototype of the object.
    if (key === "__proto__" || !Object.hasOwn(old, key)) {
      isSame = false;
      continue;
    }
    const part = shareParts(old[key], own[key], depth + 1);
    if (part !== old[key]) isSame = false;
    else own[key] = part;
  }
  return isSame ? (before as T) : next; // it is equal to `next` in every part
}
