/** Gives one reconcile a limited time: then its signal aborts, and its requests end. */

import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { Fetch } from "../../client/contract.ts";
import type { Client } from "../contract.ts";

interface TimeLimit {
  /** Undefined: there is no limit. */
  readonly timeoutMs: number | undefined;
  clientWith(fetch: Fetch): Client;
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly log: Log;
  /** Aborts when the controllers stop; so does the signal of the work. */
  readonly signal: AbortSignal;
}

interface Limited {
  readonly client: Client;
  readonly signal: AbortSignal;
}

export async function withinTime(limit: TimeLimit, work: (limited: Limited) => Promise<void>): Promise<void> {
  const { timeoutMs, clientWith, fetch, clock, log, signal } = limit;
  if (timeoutMs === undefined) return work({ client: clientWith(fetch), signal });
  const own = new AbortController();
  const stop = () => own.abort(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  const cancel = clock.after(timeoutMs, () => {
    // Work that does not heed the signal keeps its worker, so that one object is never worked on twice.
    log.warn("the time of a reconcile is over", { timeoutMs });
    own.abort(new Error(`the reconcile took longer than ${timeoutMs} ms`));
  });
  try {
    await work({ client: clientWith(endingWith(own.signal, fetch)), signal: own.signal });
  } finally {
    cancel();
    signal.removeEventListener("abort", stop);
  }
}

function endingWith(signal: AbortSignal, fetch: Fetch): Fetch {
  return (path, init) =>
    fetch(path, { ...init, signal: init?.signal ? AbortSignal.any([init.signal, signal]) : signal });
}
