/** Tells the audit hook of every request: when it is known who asks, and when it has been answered. */

import type { Context } from "../context.ts";
import type { Filter } from "./filter.ts";

const nothing: Filter = {};

export function auditCompletion({ audit, log }: Context): Filter {
  if (audit?.completed === undefined) return nothing;
  return {
    leave(call) {
      try {
        audit.completed?.(call.exchange, call, call.exchange.status);
      } catch (cause) {
        log.error("audit hook failed", { cause, auditId: call.auditId });
      }
    },
  };
}

export function auditReceipt({ audit, log }: Context): Filter {
  if (audit?.received === undefined) return nothing;
  return {
    enter(call) {
      try {
        audit.received?.(call.exchange, call);
      } catch (cause) {
        log.error("audit hook failed", { cause, auditId: call.auditId });
      }
    },
  };
}
