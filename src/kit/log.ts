/** Where programs log that do not say where: warnings and errors go to standard error, so that no failure passes unseen. */

import type { Log } from "../base/log.ts";

export const warningLog: Log = {
  debug() {},
  info() {},
  warn: (message, fields) => print(message, fields),
  error: (message, fields) => print(message, fields),
};

/** The console shows errors among the fields with their stacks. */
function print(message: string, fields?: Record<string, unknown>): void {
  if (fields === undefined) console.error(message);
  else console.error(message, fields);
}
