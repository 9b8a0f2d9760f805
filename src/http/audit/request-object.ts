/** Adds what a client sent to the audit record. */

import { encodeJson } from "../../machinery/json/json.ts";
import { copyJson } from "../../machinery/json/json-value.ts";
import { unlessTooLarge } from "../../machinery/json-schema/coerce.ts";
import type { BoundKind } from "../../machinery/schema/catalog.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import type { Call } from "../request/call.ts";

/** The object as it was decoded, with the defaults of its version; call it before anything changes the object. */
export function auditObject(call: Call, kind: BoundKind, object: ApiObject): void {
  const { audit } = call;
  if (audit === undefined) return;
  audit.refersTo(object.metadata);
  if (!audit.wantsRequest) return;
  const shown = copyJson(object);
  unlessTooLarge(() => kind.codec.applyDefaults(shown));
  audit.requestObject(encodeJson(shown));
}

/** Adds a patch or options as the client sent them. */
export function auditValue(call: Call, make: () => unknown): void {
  const { audit } = call;
  if (!audit?.wantsRequest) return;
  try {
    audit.requestObject(encodeJson(make()));
  } catch {
    // The handler is about to refuse a body that cannot be read, and the audit event shows the refusal.
  }
}
