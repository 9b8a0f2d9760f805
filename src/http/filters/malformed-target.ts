/** Refuses targets that the parser could not understand, before other filters make decisions based on them. */

import type { Filter } from "./filter.ts";

export function rejectMalformedTarget(): Filter {
  return {
    enter(call) {
      if (call.info.problem !== undefined) throw call.info.problem;
    },
  };
}
