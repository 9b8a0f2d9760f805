/** Releases the memory budget of a request's body when the request has ended; handlers read the body with `bodies.read`. */

import type { ServerContext } from "../server/context.ts";
import type { Filter } from "./filter.ts";

export function bodyBytes({ bodies }: ServerContext): Filter {
  return {
    leave(call) {
      if (call.body !== undefined) bodies.release(call.body);
      call.body = undefined;
    },
  };
}
