/** Measures how long a filter takes on the way in, and notes its end as a step of the request. */

import type { Call } from "../call.ts";
import type { Context } from "../context.ts";
import type { Filter } from "./filter.ts";

/** What measured filters are called. */
export interface Names {
  /** In metrics, as in v1.21. */
  readonly metric: string;
  /** In traces of slow requests. Absent: it counts as part of the next step. */
  readonly step?: string;
}

/** A filter begins when the measured one before it ended, so that each needs one reading of the clock. */
export function withDuration({ metric, step }: Names, filter: Filter, { clock, metrics }: Context): Filter {
  const { enter, leave } = filter;
  if (enter === undefined) return filter;
  const observe = metrics.filter(metric);
  const ended = (call: Call) => {
    const now = clock.monotonic();
    observe(now - call.filteredMs);
    call.filteredMs = now;
    if (step !== undefined) call.markAt(step, now);
  };
  return {
    ...(leave === undefined ? {} : { leave: (call) => leave.call(filter, call) }),
    enter(call) {
      const waiting = enter.call(filter, call);
      if (waiting === undefined) return ended(call);
      return waiting.then(() => ended(call));
    },
  };
}
