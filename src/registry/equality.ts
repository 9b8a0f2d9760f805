/** Whether a write changes anything. */

import type { ApiObject } from "../machinery/schema/kind.ts";

/** Equal as JSON: the order of keys does not count, and undefined is absent. */
export function sameValue(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => sameValue(item, b[index]));
  }
  if (Array.isArray(b)) return false;
  return sameFields(a as Record<string, unknown>, b as Record<string, unknown>, nothing);
}

const nothing: ReadonlySet<string> = new Set();

/** Equal but for the fields named in `except`. */
export function sameFields(
  a: Readonly<Record<string, unknown>>,
  b: Readonly<Record<string, unknown>>,
  except: ReadonlySet<string>,
): boolean {
  for (const key of Object.keys(a)) {
    if (a[key] === undefined || except.has(key)) continue;
    if (!Object.hasOwn(b, key) || !sameValue(a[key], b[key])) return false;
  }
  for (const key of Object.keys(b)) {
    if (b[key] === undefined || except.has(key)) continue;
    if (!Object.hasOwn(a, key) || a[key] === undefined) return false;
  }
  return true;
}

const bookkeeping: ReadonlySet<string> = new Set(["resourceVersion", "managedFields"]);
const metadataOnly: ReadonlySet<string> = new Set(["metadata"]);
const timeOnly: ReadonlySet<string> = new Set(["time"]);

/** Equal but for the version and for when owners last touched their fields: writing it would only make noise. */
export function sameObject(a: ApiObject, b: ApiObject): boolean {
  return (
    sameFields(a, b, metadataOnly) &&
    sameFields(a.metadata, b.metadata, bookkeeping) &&
    sameManagers(a.metadata.managedFields ?? [], b.metadata.managedFields ?? [])
  );
}

function sameManagers(a: readonly object[], b: readonly object[]): boolean {
  // Managed fields are plain records; only their declared type has no index signature.
  const record = (value: object) => value as Record<string, unknown>;
  return a.length === b.length && a.every((entry, index) => sameFields(record(entry), record(b[index]!), timeOnly));
}
