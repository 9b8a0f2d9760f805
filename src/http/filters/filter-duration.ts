/** Measures how long a filter takes on the way in, and notes its end as a step of the request. */

import type { Call } from "../request/call.ts";
import type { ServerContext } from "../server/context.ts";

/** What measured filters are called. */
export interface Names {
  /** In metrics, as in v1.21. */
  readonly metric: string;
  /** In traces of slow requests. Absent: it counts as part of the next step. */
  readonly step?: string;
}

/** To be called when the filter has let a request through. It began when the measured one before it ended: each needs one reading of the clock. */
export function createDurationObserver(
  { metric, step }: Names,
  { clock, metrics }: ServerContext,
): (call: Call) => void {
  const observe = metrics.filter(metric);
  return (call) => {
    const now = clock.monotonic();
    observe(now - call.filteredMs);
    call.filteredMs = now;
    if (step !== undefined) call.markAt(step, now);
  };
}
