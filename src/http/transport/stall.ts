/** Breaks off answers that a client has stopped reading, so that their buffers are not held for ever. */

import type { Writable } from "node:stream";

/** A client that takes nothing for this long is gone, whatever TCP says. */
export const stallMsMax = 60_000;
/** Answers below this fit into the buffers of any connection; they need no timer. */
const smallBytes = 262_144;

/** For an answer that has been handed over whole. */
export function breakWhenStalled(response: Writable, bytes: number): void {
  if (bytes < smallBytes || response.writableFinished || response.destroyed) return;
  let waiting = response.writableLength;
  const timer = setInterval(() => {
    if (response.writableLength >= waiting) response.destroy();
    waiting = response.writableLength;
  }, stallMsMax);
  timer.unref();
  response.once("close", () => clearInterval(timer));
}

/** Resolves when the client takes more again, or is gone. */
export function untilDrained(response: Writable): Promise<void> {
  if (response.destroyed || !response.writableNeedDrain) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(() => response.destroy(), stallMsMax);
    timer.unref();
    const done = () => {
      clearTimeout(timer);
      response.off("drain", done).off("close", done);
      resolve();
    };
    response.on("drain", done).on("close", done);
  });
}
