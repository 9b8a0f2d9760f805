/** Bounds the bytes of all request bodies that are being read or worked on; handlers read through `readBody`. */

import { tooManyRequests } from "../../machinery/status/status.ts";
import type { Call } from "../call.ts";
import type { Context } from "../context.ts";
import type { Filter } from "./filter.ts";

const totals = new WeakMap<Context, { bytes: number }>();

export function bodyBytes(context: Context): Filter {
  const total = { bytes: 0 };
  totals.set(context, total);
  return {
    leave(call) {
      total.bytes -= call.bodyBytes;
      call.bodyBytes = 0;
    },
  };
}

/** The whole body of the request; 413 over the limit of one body, 429 over that of all together. */
export function readBody(context: Context, call: Call): Promise<Buffer> {
  const total = totals.get(context)!;
  return call.exchange.readBody(context.limits.bodyBytesMax, (bytes) => {
    total.bytes += bytes;
    call.bodyBytes += bytes;
    if (total.bytes > context.limits.bodiesBytesMax) {
      throw tooManyRequests("too many bytes of requests are under way, please try again later", 1);
    }
  });
}
