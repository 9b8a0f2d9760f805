/** GET of a collection with a question: `where`, `orderBy`, `count`, `select`. */

import type { BoundKind } from "../../machinery/schema/catalog.ts";
import type { AnsweredQuestion } from "../../registry/contract/question.ts";
import { Reply, replyAbout } from "../answer/reply.ts";
import { sendList } from "../answer/send-list.ts";
import type { Call } from "../request/call.ts";
import type { ServerContext } from "../server/context.ts";
import { readListQuery } from "./list-options.ts";
import { readQuestion } from "./question.ts";

/** Says how objects were found. A server that does not send it knows no questions, and has returned all objects. */
const planHeader = "orch-plan";

export async function answerQuestion(context: ServerContext, call: Call, kind: BoundKind): Promise<void> {
  const { question, select } = await readQuestion(context, kind, call.info.query);
  // A part of an object is no message of its kind.
  const reply =
    select === undefined
      ? replyAbout(context, call, kind)
      : new Reply(context, call, context.textNegotiator.choose(call.exchange.header("accept")));
  const query = { ...readListQuery(call.info), question, signal: call.signal };
  const result = await context.registry.list(kind, query);
  call.mark("store");
  const { answered } = result;
  if (answered !== undefined && answered.undecided > 0)
    call.warn(
      `where has no value for ${answered.undecided} objects, which are left out: ${shortReason(answered.firstUndecided)}`,
    );
  const headers = answered && { [planHeader]: planOf(answered) };
  return sendList(reply, kind, result, { select, headers, isOrdered: question.order !== undefined });
}

const reasonCharsMax = 500;

/** It may repeat a key of the expression. A warning with a character that cannot be sent would not be sent at all. */
const shortReason = (reason = "") => reason.slice(0, reasonCharsMax).replaceAll(/[\p{Surrogate}\p{Cc}]/gu, " ");

/** A client may have asked for a label of any name, and so have it indexed. */
const nameCharsMax = 200;

function planOf({ index, examined, matched, cost }: AnsweredQuestion): string {
  const found =
    index === undefined
      ? "scan"
      : `index=${encodeURI(index.slice(0, nameCharsMax).replaceAll(/\p{Surrogate}/gu, "")).replaceAll("%20", ":")}`;
  return `${found}; examined=${examined}; matched=${matched}; cost=${cost}`;
}
