/** Sheds requests above the number that the server handles at once, so that the others are served in time. */

import type { Context } from "../context.ts";
import { Overloaded } from "../errors.ts";
import type { Slots } from "../metrics/server-metrics.ts";
import type { Filter } from "./filter.ts";
import { isReading } from "./reading-verbs.ts";

/** With priority and fairness, which needs to know the user, this filter only bounds how many requests there are at all. */
export function inFlight({ limits, metrics, fairness }: Context): Filter {
  const { reading, mutating } = metrics.inFlight;
  const arrived: Slots = { used: 0 };
  const slotsOf = (verb: string) => (fairness !== undefined ? arrived : isReading(verb) ? reading : mutating);
  const maxOf = (slots: Slots) =>
    slots === arrived ? limits.arrivedMax : slots === reading ? limits.readingMax : limits.mutatingMax;
  return {
    enter(call) {
      if (call.isLongRunning) return;
      const slots = slotsOf(call.info.verb);
      if (slots.used >= maxOf(slots)) {
        metrics.dropped(isReading(call.info.verb));
        throw new Overloaded();
      }
      slots.used++;
      call.slots = slots;
    },
    leave(call) {
      call.hasLeft = true;
      if (call.slots !== undefined) call.slots.used--;
      call.slots = undefined;
    },
  };
}
