/** Waits for a client to read more of an answer. */

import type { Writable } from "node:stream";

/** Resolves when the client reads again or has disconnected. */
export function untilDrained(response: Writable): Promise<void> {
  if (response.destroyed || !response.writableNeedDrain) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      response.off("drain", done).off("close", done);
      resolve();
    };
    response.on("drain", done).on("close", done);
  });
}
