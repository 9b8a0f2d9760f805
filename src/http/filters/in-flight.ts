/** Sheds requests above the number that the server handles at once, so that the others are served in time. */

import { tooManyRequests } from "../../machinery/status/status.ts";
import type { Context } from "../context.ts";
import type { Filter } from "./filter.ts";

const readingVerbs: ReadonlySet<string> = new Set(["get", "list", "watch"]);

export function inFlight({ limits, metrics }: Context): Filter {
  const { reading, mutating } = metrics.inFlight;
  return {
    enter(call) {
      if (call.isLongRunning) return;
      const isReading = readingVerbs.has(call.info.verb);
      const slots = isReading ? reading : mutating;
      if (slots.used >= (isReading ? limits.readingMax : limits.mutatingMax)) {
        throw tooManyRequests("too many requests are under way, please try again later", 1);
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
