/** Logs requests according to --v: at 2 those that were refused, at 4 every one. */

import type { ServerContext } from "../server/context.ts";
import type { Filter } from "./filter.ts";

const nothing: Filter = {};
/** From here on an answer is a refusal. */
const refusedFrom = 400;

export function requestLog({ log }: ServerContext): Filter {
  const { verbosity = 0 } = log;
  if (verbosity < 2) return nothing;
  return {
    leave(call) {
      const { status, method, remoteAddress } = call.exchange;
      if (verbosity < 4 && status < refusedFrom) return;
      log.info("request", {
        method,
        path: call.info.path, // queries may hold credentials
        user: call.user.name,
        code: status,
        ms: Math.round(call.endedMs - call.startedMs),
        ...(call.refusal === undefined ? {} : { reason: call.refusal }),
        ...(remoteAddress === "" ? {} : { from: remoteAddress }),
        auditId: call.auditId,
      });
    },
  };
}
