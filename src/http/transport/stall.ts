/** Breaks off an answer that a client has stopped reading, so that its buffers are not held for ever. */

import type { Writable } from "node:stream";

/** A client that takes nothing at all for this long is gone, whatever TCP says. */
export const stallMsMax = 60_000;
/** Answers below this fit into the buffers of any connection; they need no timer. */
const smallBytes = 262_144;

export function watchStall(response: Writable, bytes: number): void {
  if (bytes < smallBytes || response.writableFinished || response.destroyed) return;
  let waiting = response.writableLength;
  const timer = setInterval(() => {
    if (response.writableFinished || response.destroyed) return clearInterval(timer);
    if (response.writableLength >= waiting && waiting > 0) response.destroy();
    waiting = response.writableLength;
  }, stallMsMax);
  timer.unref();
  response.once("close", () => clearInterval(timer));
}
