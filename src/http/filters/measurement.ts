/** Counts every request and measures its duration. */

import type { Context } from "../context.ts";
import type { Filter } from "./filter.ts";

export function measurement({ metrics, clock }: Context): Filter {
  return {
    leave(call) {
      metrics.answered(call, clock.monotonic() - call.startedMs);
    },
  };
}
