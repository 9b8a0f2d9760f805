/** Shows an object through one of its subresources. */

import type { ApiObject } from "../../machinery/schema/kind.ts";
import type { Entry } from "../../registry/contract/entry.ts";
import type { Answer, Reply } from "../answer/reply.ts";
import { sendEntry } from "../answer/send-entry.ts";
import { sendVirtualObject, sendVirtualTable } from "../answer/send-virtual-object.ts";
import { type Representations, representationsOf } from "../negotiation/representations.ts";
import { acceptedKind, type HandledTarget } from "./target.ts";

export function sendSubresource(reply: Reply, target: HandledTarget, entry: Entry): Answer {
  const { kind, subresource } = target;
  if (subresource?.view === undefined) return sendEntry(reply, kind, entry);
  const representations = representationsOf(kind, [entry], reply.call.info.subresource);
  const send = (made: Representations) => sendView(reply, target, made.object(entry));
  return representations instanceof Promise ? representations.then(send) : send(representations);
}

function sendView(reply: Reply, target: HandledTarget, object: ApiObject): Answer {
  const { kind, subresource } = target;
  const { context, call } = reply;
  const { environment } = context.catalog;
  const refusal = call.info.verb === "get" ? subresource?.refuseRead?.(object, environment) : undefined;
  if (refusal !== undefined) throw refusal;
  const shown = withLinkOf(object, subresource?.view?.(object, environment) as ApiObject); // a view is an object of the accepted kind
  const accepted = acceptedKind(context, target) ?? kind;
  // apiVersion and kind come first.
  const value = { apiVersion: accepted.apiVersion, kind: accepted.kind, ...shown };
  if (reply.chosen.representation.view === "Table") return sendVirtualTable(reply, shown, accepted);
  return sendVirtualObject(reply, value, accepted.codec.protobuf);
}

/** The path of the subresource, if objects show theirs. */
function withLinkOf({ metadata: { selfLink } }: ApiObject, shown: ApiObject): ApiObject {
  return selfLink === undefined ? shown : { ...shown, metadata: { ...shown.metadata, selfLink } };
}
