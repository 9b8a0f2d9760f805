/** GET of a collection. */

import type { Call } from "../call.ts";
import type { Context } from "../context.ts";
import { negotiatorFor } from "../negotiation/choose.ts";
import { sendList } from "../send-list.ts";
import { readListQuery } from "./list-options.ts";
import type { Target } from "./target.ts";

export async function list(context: Context, call: Call, { kind }: Target): Promise<void> {
  const chosen = negotiatorFor(context, kind).choose(call.exchange.header("accept"));
  const result = await context.registry.list(kind, readListQuery(call.info));
  call.mark("store");
  return sendList(context, call, chosen, kind, result);
}
