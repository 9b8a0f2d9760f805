/** Measures how long a filter takes on the way in. */

import type { Context } from "../context.ts";
import type { Filter } from "./filter.ts";

export function withDuration(name: string, filter: Filter, { clock, metrics }: Context): Filter {
  const { enter, leave } = filter;
  if (enter === undefined) return filter;
  const observe = metrics.filter(name);
  return {
    ...(leave === undefined ? {} : { leave: (call) => leave.call(filter, call) }),
    enter(call) {
      const beganMs = clock.monotonic();
      const waiting = enter.call(filter, call);
      if (waiting === undefined) return observe(clock.monotonic() - beganMs);
      return waiting.then(() => observe(clock.monotonic() - beganMs));
    },
  };
}
