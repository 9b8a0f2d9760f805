/** Whether a write changes anything. */

import { sameMembers } from "../machinery/json/json-value.ts";
import type { ApiObject } from "../machinery/schema/kind.ts";

const bookkeeping: ReadonlySet<string> = new Set(["resourceVersion", "managedFields"]);
const metadataOnly: ReadonlySet<string> = new Set(["metadata"]);
const timeOnly: ReadonlySet<string> = new Set(["time"]);

/**
 * Equal but for the version and for when owners last touched their fields: writing it would only cause needless events. Metadata
 * come first: they are small, and most updates change them.
 */
export function sameObject(a: ApiObject, b: ApiObject): boolean {
  return (
    sameMembers(a.metadata, b.metadata, bookkeeping) &&
    sameManagers(a.metadata.managedFields ?? [], b.metadata.managedFields ?? []) &&
    sameMembers(a, b, metadataOnly)
  );
}

function sameManagers(a: readonly object[], b: readonly object[]): boolean {
  // Managed fields are plain records; only their declared type has no index signature.
  const record = (value: object) => value as Record<string, unknown>;
  return a.length === b.length && a.every((entry, index) => sameMembers(record(entry), record(b[index]!), timeOnly));
}
