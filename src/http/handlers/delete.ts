/** DELETE of one object. */

import type { BoundKind } from "../../machinery/schema/catalog.ts";
import type { Status } from "../../machinery/status/status.ts";
import type { Entry } from "../../registry/contract/entry.ts";
import { replyAbout } from "../answer/reply.ts";
import { sendValue } from "../answer/respond.ts";
import { sendEntry } from "../answer/send-entry.ts";
import type { Call } from "../request/call.ts";
import type { ServerContext } from "../server/context.ts";
import { readDeleteOptions } from "./delete-options.ts";
import type { HandledTarget } from "./target.ts";

export async function deleteOne(context: ServerContext, call: Call, { kind, ref }: HandledTarget): Promise<void> {
  const reply = replyAbout(context, call, kind);
  const { options, dryRun, shown } = await readDeleteOptions(context, call);
  const { entry, removed, answer } = await context.registry.delete(kind, ref, options, {
    user: call.user,
    dryRun,
    fieldManager: "",
    warn: (text) => call.warn(text),
    annotate: (key, value) => call.annotate(key, value),
    options: shown,
    caller: call,
    transaction: call.transaction,
  });
  call.mark("store");
  if (answer === "status") {
    call.answered = success(kind, entry);
    return sendValue(reply, call.answered);
  }
  // As in the reference: a foreground delete whose object still exists is answered as accepted.
  if (!removed && options.orphanDependents === false) reply.code = 202;
  return sendEntry(reply, kind, entry);
}

function success(kind: BoundKind, entry: Entry): Status {
  const { uid } = entry.object().metadata;
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    details: {
      name: entry.name,
      ...(kind.group === "" ? {} : { group: kind.group }),
      kind: kind.resource,
      ...(uid === undefined ? {} : { uid }),
    },
  };
}
