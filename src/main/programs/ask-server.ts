/** What a controller manager must know of its server before it works. It may start before its server, so it asks until it is answered. */

import type { Clock } from "../../base/clock.ts";
import type { Fetch, FetchResponse } from "../../client/contract.ts";

/** How long to wait before a server that did not answer is asked again. */
const askAgainMs = 1_000;

/** `waits` is called once, when the first attempt has failed. Rejects when `signal` aborts. */
export async function askServer(
  path: string,
  {
    fetch,
    clock,
    signal,
    waits,
  }: { fetch: Fetch; clock: Clock; signal: AbortSignal; waits?: (cause: unknown) => void },
): Promise<FetchResponse> {
  let tell = waits;
  for (;;) {
    signal.throwIfAborted();
    let cause: unknown;
    try {
      const response = await fetch(path, { signal });
      if (response.status < 500) return response;
      cause = `HTTP ${response.status}`;
      await response.text();
    } catch (error) {
      signal.throwIfAborted();
      cause = error;
    }
    tell?.(cause);
    tell = undefined;
    await pause(clock, signal);
  }
}

/** Ends early when `signal` aborts. */
function pause(clock: Clock, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const stop = clock.after(askAgainMs, done);
    function done() {
      signal.removeEventListener("abort", cancel);
      resolve();
    }
    function cancel() {
      stop();
      resolve();
    }
    signal.addEventListener("abort", cancel, { once: true });
  });
}
