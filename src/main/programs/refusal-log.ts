/** Reports refusals of the server once, with what to do about them, instead of one stack trace for each request. */

import type { Log } from "../../base/log.ts";
import { isForbidden } from "../../client/requests/refusals.ts";

/** The log for controllers. `advice`: how the missing rights are granted. Later refusals are only debug messages. */
export function withOneRefusal(log: Log, advice: string): Log {
  let isTold = false;
  const through =
    (level: "warn" | "error"): Log["warn"] =>
    (message, fields = {}) => {
      const { error, ...others } = fields;
      if (!isForbidden(error)) return log[level](message, fields);
      if (isTold) return log.debug(message, { ...others, error: error.message });
      isTold = true;
      log.error(`the server refuses requests of this manager; ${advice}`, { ...others, error: error.message });
    };
  return {
    ...(log.verbosity === undefined ? {} : { verbosity: log.verbosity }),
    debug: (message, fields) => log.debug(message, fields),
    info: (message, fields) => log.info(message, fields),
    warn: through("warn"),
    error: through("error"),
  };
}
