/** GET of a collection. */

import { replyAbout } from "../answer/reply.ts";
import { sendList } from "../answer/send-list.ts";
import type { Call } from "../request/call.ts";
import type { ServerContext } from "../server/context.ts";
import { answerQuestion } from "./answer-question.ts";
import { readListQuery } from "./list-options.ts";
import { asksMore } from "./question.ts";
import type { HandledTarget } from "./target.ts";

export async function list(context: ServerContext, call: Call, { kind }: HandledTarget): Promise<void> {
  if (asksMore(call.info.query)) return answerQuestion(context, call, kind);
  const reply = replyAbout(context, call, kind);
  const result = await context.registry.list(kind, { ...readListQuery(call.info), user: call.user });
  call.mark("store");
  return sendList(reply, kind, result);
}
