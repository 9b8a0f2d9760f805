/** Refuses targets that the parser could not understand, and what another server has refused, before other filters make decisions based on them. */

import type { Filter } from "./filter.ts";

export function rejectMalformedTarget(): Filter {
  return {
    enter(call) {
      if (call.exchange.refusal !== undefined) throw call.exchange.refusal.error;
      if (call.info.problem !== undefined) throw call.info.problem;
    },
  };
}
