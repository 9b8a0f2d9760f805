/** Waiting that the user can interrupt. */

import type { Context } from "./context.ts";

/** Resolves after the delay, or rejects when the user interrupts. */
export function pause(context: Context, ms: number): Promise<void> {
  return new Promise((resolve, reject) => {
    context.signal.throwIfAborted();
    const cancel = context.environment.clock.after(ms, done);
    function done() {
      context.signal.removeEventListener("abort", stop);
      resolve();
    }
    function stop() {
      cancel();
      reject(new Error("interrupted"));
    }
    context.signal.addEventListener("abort", stop, { once: true });
  });
}
