/** Tells the audit record what a client sent. */

import type { BoundKind } from "../machinery/schema/catalog.ts";
import { copyJson } from "../machinery/schema/json-value.ts";
import type { ApiObject } from "../machinery/schema/kind.ts";
import type { Call } from "./call.ts";

/** The object as it was decoded, with the defaults of its version; call it before anything changes the object. */
export function auditObject(call: Call, kind: BoundKind, object: ApiObject): void {
  const { audit } = call;
  if (audit === undefined) return;
  audit.refersTo(object.metadata);
  if (!audit.wantsRequest) return;
  const shown = copyJson(object);
  kind.codec.applyDefaults(shown);
  audit.requestObject(JSON.stringify(shown));
}

/** A patch, or options: as they were sent. */
export function auditValue(call: Call, make: () => unknown): void {
  const { audit } = call;
  if (!audit?.wantsRequest) return;
  try {
    audit.requestObject(JSON.stringify(make()));
  } catch {
    // What cannot be read is refused in a moment, and the event shows the refusal.
  }
}
