/** Counts every request and measures its duration. */

import type { ServerContext } from "../server/context.ts";
import type { Filter } from "./filter.ts";

export function measurement({ metrics }: ServerContext): Filter {
  return {
    leave(call) {
      metrics.answered(call, call.endedMs - call.startedMs);
    },
  };
}
