/** Sheds requests above the number that the server handles at once, so that the others are served in time. */

import { mastersGroup } from "../../authz/masters.ts";
import { Overloaded } from "../answer/errors.ts";
import type { Call } from "../request/call.ts";
import { Slot } from "../request/slot.ts";
import type { ServerContext } from "../server/context.ts";
import type { Filter } from "./filter.ts";

/** Bounds how many requests there are at all, before their users are known. */
export function limitArrivals({ limits, metrics }: ServerContext): Filter {
  let arrived = 0;
  return {
    enter(call) {
      if (call.isLongRunning) return;
      if (arrived >= limits.arrivedMax) throw refusal(metrics, call);
      arrived++;
    },
    leave(call) {
      if (!call.isLongRunning) arrived--;
    },
  };
}

/** Without priority and fairness: two limits, for reading and for changing requests. As in v1.21, administrators are always served. */
export function inFlight({ limits, metrics, fairness }: ServerContext): Filter {
  if (fairness !== undefined) return {};
  const { reading, mutating } = metrics.inFlight;
  return {
    enter(call) {
      if (call.isLongRunning) return;
      const [places, max] = isReading(call.info.verb) ? [reading, limits.readingMax] : [mutating, limits.mutatingMax];
      if (places.used >= max) {
        if (call.user.groups.includes(mastersGroup)) return;
        throw refusal(metrics, call);
      }
      call.slot = new Slot(places);
    },
    leave: (call) => call.slot?.end(),
  };
}

function refusal(metrics: ServerContext["metrics"], call: Call): Overloaded {
  metrics.dropped(isReading(call.info.verb));
  return new Overloaded();
}

/** Requests are limited and counted as reading or changing ones. */
export function isReading(verb: string): boolean {
  return verb === "get" || verb === "list" || verb === "watch";
}
