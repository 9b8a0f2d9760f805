/** DELETE of a collection, or of the objects in it that selectors match. */

import type { BoundKind } from "../../machinery/schema/catalog.ts";
import type { Status } from "../../machinery/status/status.ts";
import type { DeletedCollection } from "../../registry/contract/registry.ts";
import { replyAbout } from "../answer/reply.ts";
import { sendValue } from "../answer/respond.ts";
import { sendList } from "../answer/send-list.ts";
import type { Call } from "../request/call.ts";
import type { ServerContext } from "../server/context.ts";
import { readDeleteOptions } from "./delete-options.ts";
import { readListQuery, refuseMalformed } from "./list-options.ts";
import { conditionAlone } from "./question.ts";
import type { HandledTarget } from "./target.ts";

export async function deleteCollection(context: ServerContext, call: Call, { kind }: HandledTarget): Promise<void> {
  const { registry } = context;
  const reply = replyAbout(context, call, kind);
  refuseMalformed(call.info);
  const condition = await conditionAlone(context, kind, call.info.query);
  const query = { ...readListQuery(call.info), ...(condition === undefined ? {} : { question: { condition } }) };
  const { options, dryRun, shown } = await readDeleteOptions(context, call);
  const { deleted, ...left } = await registry.deleteCollection(kind, query, options, {
    user: call.user,
    dryRun,
    fieldManager: "",
    warn: (text) => call.warn(text),
    annotate: (key, value) => call.annotate(key, value),
    options: shown,
    caller: call,
  });
  // The specification requires a Status; a client that requests a Table gets the deleted objects.
  if (reply.chosen.representation.view === "") {
    call.answered = success(kind, left);
    return sendValue(reply, call.answered);
  }
  const result = {
    entries: deleted.map(({ entry }) => entry),
    revision: await registry.revision(),
    ...left,
  };
  return sendList(reply, kind, result);
}

function success(kind: BoundKind, { continue: rest, remainingItemCount }: Omit<DeletedCollection, "deleted">): Status {
  const details = { ...(kind.group === "" ? {} : { group: kind.group }), kind: kind.resource };
  const metadata = {
    ...(rest === "" ? {} : { continue: rest }),
    ...(remainingItemCount === undefined ? {} : { remainingItemCount }),
  };
  return { apiVersion: "v1", kind: "Status", metadata, status: "Success", details };
}
