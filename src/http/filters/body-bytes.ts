/** Releases the memory budget of a request's body when the request has ended; handlers read the body with `readBody`. */

import type { Context } from "../server/context.ts";
import { openBodyTotal } from "../server/request-body.ts";
import type { Filter } from "./filter.ts";

export function bodyBytes(context: Context): Filter {
  const total = openBodyTotal(context);
  return {
    leave(call) {
      total.bytes -= call.bodyBytes;
      call.bodyBytes = 0;
      call.memory?.end();
      call.memory = undefined;
    },
  };
}
