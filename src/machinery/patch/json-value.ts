/** Questions about JSON values whose keys and sizes strangers chose. */

export type JsonObject = Record<string, unknown>;

/** The own member, never one of Object.prototype. */
export function getOwn(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Equal as JSON: objects without regard to the order of their keys, arrays in order. */
export function deepEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    for (let i = 0; i < a.length; i++) if (!deepEqual(a[i], b[i])) return false;
    return true;
  }
  if (Array.isArray(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  for (const key of keys) {
    // Both are plain objects by the checks above.
    if (!Object.hasOwn(b, key) || !deepEqual((a as JsonObject)[key], (b as JsonObject)[key])) return false;
  }
  return true;
}

/**
 * About how many bytes the value has as JSON. Stops counting soon after `enough`; a value nested deeper than `depthMax`
 * counts as endless, so that nothing that recurses is let loose on it.
 */
export function jsonBytes(value: unknown, enough: number, depthMax: number): number {
  let bytes = 0;
  const count = (part: unknown, depth: number): void => {
    if (bytes > enough) return;
    if (typeof part === "string") bytes += part.length + 2;
    else if (typeof part !== "object" || part === null) bytes += 4;
    else if (depth > depthMax) bytes = Number.POSITIVE_INFINITY;
    else if (Array.isArray(part)) {
      bytes += 2;
      for (const item of part) count(item, depth + 1);
    } else {
      bytes += 2;
      for (const key of Object.keys(part)) {
        bytes += key.length + 4;
        count((part as JsonObject)[key], depth + 1);
      }
    }
  };
  count(value, 1);
  return bytes;
}

/** Whether containers are nested more than `depthMax` deep; without recursion, so that any value may be asked about. */
export function isDeeperThan(value: unknown, depthMax: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; depth <= depthMax; depth++) {
    const next: unknown[] = [];
    for (const part of level) {
      if (typeof part !== "object" || part === null) continue;
      for (const child of Array.isArray(part) ? part : Object.values(part)) {
        if (typeof child === "object" && child !== null) next.push(child);
      }
    }
    if (next.length === 0) return false;
    level = next;
  }
  return true;
}
