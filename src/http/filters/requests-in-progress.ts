/** Counts the requests in progress, which a server finishes before it stops. */

import type { ServerContext } from "../server/context.ts";
import type { Filter } from "./filter.ts";

export function requestsInProgress({ lifecycle }: ServerContext): Filter {
  return {
    enter(call) {
      if (!call.isLongRunning) lifecycle.begun();
    },
    leave(call) {
      if (!call.isLongRunning) lifecycle.finished();
    },
  };
}
