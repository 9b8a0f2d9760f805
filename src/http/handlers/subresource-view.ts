/** Shows an object through one of its subresources. */

import type { ApiObject } from "../../machinery/schema/kind.ts";
import type { Entry } from "../../registry/contract/entry.ts";
import { sendEntry } from "../answer/send-entry.ts";
import { sendVirtualObject } from "../answer/send-virtual-object.ts";
import type { Chosen } from "../negotiation/choose.ts";
import { type Representations, representationsOf } from "../negotiation/representations.ts";
import type { Call } from "../request/call.ts";
import type { Context } from "../server/context.ts";
import { acceptedKind, type Target } from "./target.ts";

export function sendSubresource(
  context: Context,
  call: Call,
  code: number,
  chosen: Chosen,
  target: Target,
  entry: Entry,
): void | Promise<void> {
  const { kind, subresource } = target;
  if (subresource?.view === undefined) return sendEntry(context, call, code, chosen, kind, entry);
  const representations = representationsOf(kind, [entry]);
  const send = (made: Representations) => sendView(context, call, code, chosen, target, made.object(entry));
  return representations instanceof Promise ? representations.then(send) : send(representations);
}

function sendView(
  context: Context,
  call: Call,
  code: number,
  chosen: Chosen,
  target: Target,
  object: ApiObject,
): void | Promise<void> {
  const { kind, subresource } = target;
  const { environment } = context.catalog;
  const refusal = call.info.verb === "get" ? subresource?.refuseRead?.(object, environment) : undefined;
  if (refusal !== undefined) throw refusal;
  const shown = subresource?.view?.(object, environment);
  const accepted = acceptedKind(context, target) ?? kind;
  // A view is an object of the accepted kind; apiVersion and kind come first.
  const value = { apiVersion: accepted.apiVersion, kind: accepted.kind, ...(shown as object) };
  return sendVirtualObject(context, call, code, chosen, value, accepted.codec.protobuf);
}
