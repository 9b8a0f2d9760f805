/** Lets a test see and disturb requests, where the program that runs the server has asked for it. */

import type { ServerContext } from "../server/context.ts";
import type { Filter } from "./filter.ts";

export function intervention({ interventions }: ServerContext): Filter {
  if (interventions === undefined) return {};
  return {
    enter(call) {
      if (interventions.isActive) return interventions.enter(call);
    },
    leave(call) {
      if (interventions.isActive) interventions.leave(call);
    },
  };
}
