/** The object of an entry in the version of a request, without waiting for a webhook. */

import type { BoundKind } from "../../machinery/schema/catalog.ts";
import { convertNow, versionIn } from "../../machinery/schema/convert.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import type { Entry } from "./entry.ts";

/** Undefined: only a webhook could convert it. */
export function shownObject(entry: Entry, kind: BoundKind, object: ApiObject = entry.object()): ApiObject | undefined {
  const { version, family } = entry;
  // A definition may have changed since the request began.
  const wanted = versionIn(family, kind);
  if (version === wanted) return object;
  return family.conversion.isImmediate ? convertNow(object, version, wanted) : undefined;
}
