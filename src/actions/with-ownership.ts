/** Managed fields of objects that are sent to an action and not stored: plugins see them, and answers of reviews have them. */

import { trackNow } from "../machinery/apply/ownership.ts";
import type { ApiObject } from "../machinery/schema/kind.ts";
import { timeText } from "../machinery/values/time.ts";
import type { CreateAction } from "../registry/contract/action.ts";

export function withOwnership<Body extends ApiObject>(
  action: CreateAction<Body>,
  subresource = "",
): CreateAction<Body> {
  return {
    ...action,
    prepare(sent) {
      const request = action.prepare?.(sent) ?? sent;
      const kind = request.accepted ?? request.kind;
      const body = { ...request.body, metadata: { ...request.body.metadata } };
      const now = timeText(kind.family.environment.clock.now());
      const manager = request.context.fieldManager;
      trackNow({ kind, live: undefined, next: body, manager, subresource, now });
      return { ...request, body };
    },
  };
}
