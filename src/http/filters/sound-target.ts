/** Refuses targets that the one parser could not make sense of, before anybody decides anything by them. */

import type { Filter } from "./filter.ts";

export function soundTarget(): Filter {
  return {
    enter(call) {
      if (call.info.problem !== undefined) throw call.info.problem;
    },
  };
}
