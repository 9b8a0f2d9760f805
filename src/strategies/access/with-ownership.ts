/** Reviews are not stored, but their answers have managed fields for what was sent, like those of stored objects. */

import { trackNow } from "../../machinery/apply/ownership.ts";
import type { CreateAction } from "../../registry/contract/action.ts";

export function withOwnership(action: CreateAction): CreateAction {
  return {
    ...action,
    prepare(sent) {
      const request = action.prepare?.(sent) ?? sent;
      const kind = request.accepted ?? request.kind;
      const body = { ...request.body, metadata: { ...request.body.metadata } };
      const now = new Date(kind.family.environment.clock.now()).toISOString().replace(/\.\d+Z$/, "Z");
      const manager = request.context.fieldManager;
      trackNow({ kind, live: undefined, next: body, manager, subresource: "", now });
      return { ...request, body };
    },
  };
}
