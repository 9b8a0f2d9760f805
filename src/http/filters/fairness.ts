/** Lets a request continue when priority and fairness has a seat for it: at once, after a wait, or never (429). */

import type { Ticket } from "../../flowcontrol/contract.ts";
import { Overloaded } from "../answer/errors.ts";
import type { Call } from "../request/call.ts";
import type { ServerContext } from "../server/context.ts";
import type { Filter } from "./filter.ts";
import { isReading } from "./in-flight.ts";
import { widthOf } from "./request-width.ts";

export function priorityAndFairness({ fairness, metrics, vocabulary }: ServerContext): Filter {
  if (fairness === undefined) return {};
  const { reading, mutating } = metrics.inFlight;
  const schemaHeader = vocabulary.word("x-orch-pf-flowschema-uid");
  const levelHeader = vocabulary.word("x-orch-pf-prioritylevel-uid");
  // Many requests in a row are often of the same flow.
  let known: { schemaUid: string; levelUid: string; headers: readonly string[] } = {
    schemaUid: "",
    levelUid: "",
    headers: [schemaHeader, "", levelHeader, ""],
  };
  const headersOf = ({ schemaUid, levelUid }: Ticket) => {
    if (known.schemaUid !== schemaUid || known.levelUid !== levelUid) {
      known = { schemaUid, levelUid, headers: [schemaHeader, schemaUid, levelHeader, levelUid] };
    }
    return known.headers;
  };
  const placesOf = (call: Call) => (isReading(call.info.verb) ? reading : mutating);
  const begin = (call: Call, ticket: Ticket) => {
    if (ticket.phase !== "executing") {
      ticket.end();
      metrics.dropped(isReading(call.info.verb));
      throw new Overloaded();
    }
    placesOf(call).used++;
  };
  return {
    enter(call) {
      if (call.isLongRunning) return;
      const ticket = fairness.admit(call, call.filteredMs, widthOf(call.info));
      call.ticket = ticket;
      call.exchange.fixHeaders(headersOf(ticket));
      if (ticket.phase !== "waiting") return begin(call, ticket);
      return waitFor(call, ticket).then(() => begin(call, ticket));
    },
    leave(call) {
      if (call.ticket === undefined) return;
      call.ticket.end(call.endedMs);
      placesOf(call).used--;
    },
  };
}

/** Resolves when the ticket has settled. Rejects when the caller no longer waits, whose answer, if any, has been sent. */
function waitFor(call: Call, ticket: Ticket): Promise<void> {
  const { signal } = call;
  return new Promise((resolve, reject) => {
    const abort = () => {
      ticket.end();
      reject(signal.reason);
    };
    if (signal.aborted) return abort();
    signal.addEventListener("abort", abort, { once: true });
    ticket.onSettled(() => {
      signal.removeEventListener("abort", abort);
      // In the next turn of the event loop: otherwise all that wait would run one after the other within this turn.
      setImmediate(resolve);
    });
  });
}
