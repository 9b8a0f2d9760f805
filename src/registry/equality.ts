/** Whether a write changes anything. */

import { Pace, type Steps } from "../base/time-slice.ts";
import { sameMembers, sameMembersInSteps } from "../machinery/json/json-value.ts";
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

/** As `sameObject`, of objects that may be large. */
export function* sameObjectInSteps(a: ApiObject, b: ApiObject): Steps<boolean> {
  const pace = new Pace();
  if (!(yield* sameMembersInSteps(a.metadata, b.metadata, bookkeeping, pace))) return false;
  const [managers, others] = [a.metadata.managedFields ?? [], b.metadata.managedFields ?? []];
  if (managers.length !== others.length) return false;
  for (const [index, entry] of managers.entries())
    if (!(yield* sameMembersInSteps(record(entry), record(others[index]!), timeOnly, pace))) return false;
  return yield* sameMembersInSteps(a, b, metadataOnly, pace);
}

/** Managed fields are plain records; only their declared type has no index signature. */
const record = (value: object) => value as Record<string, unknown>;

function sameManagers(a: readonly object[], b: readonly object[]): boolean {
  return a.length === b.length && a.every((entry, index) => sameMembers(record(entry), record(b[index]!), timeOnly));
}
