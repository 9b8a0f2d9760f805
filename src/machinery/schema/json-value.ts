/** Plain JSON values in memory: copying them, and setting keys that a user chose. */

/** Sets an own property whatever its name: `__proto__` must become a key, never the prototype. */
export function setKey(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__") {
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    target[key] = value;
  }
}

/** A boxed Number is none: the JSON codec makes them of 3.0 and 3e0, which are numbers but no integers. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Number);
}

/** A copy that shares nothing with `value`, is not frozen and has no boxed numbers. */
export function copyJson<T>(value: T): T {
  // The copy has the shape of the value, which the compiler cannot follow through arrays and records.
  return copy(value) as T;
}

function copy(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copy);
  if (value instanceof Number) return value.valueOf();
  const source = value as Record<string, unknown>;
  const result: Record<string, unknown> = {};
  for (const key of Object.keys(source)) setKey(result, key, copy(source[key]));
  return result;
}
