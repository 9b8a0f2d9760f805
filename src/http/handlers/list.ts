/** GET of a collection. */

import { sendList } from "../answer/send-list.ts";
import { negotiatorFor } from "../negotiation/choose.ts";
import type { Call } from "../request/call.ts";
import type { Context } from "../server/context.ts";
import { readListQuery } from "./list-options.ts";
import type { Target } from "./target.ts";

export async function list(context: Context, call: Call, { kind }: Target): Promise<void> {
  const chosen = negotiatorFor(context, kind).choose(call.exchange.header("accept"));
  const result = await context.registry.list(kind, readListQuery(call.info));
  call.mark("store");
  return sendList(context, call, chosen, kind, result);
}
