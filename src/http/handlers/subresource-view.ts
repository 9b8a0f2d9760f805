/** Shows an object through one of its subresources. */

import type { ApiObject } from "../../machinery/schema/kind.ts";
import type { Entry } from "../../registry/contract/entry.ts";
import type { Call } from "../call.ts";
import type { Context } from "../context.ts";
import type { Chosen } from "../negotiation/choose.ts";
import { type Forms, formsOf } from "../negotiation/entry-forms.ts";
import { sendEntry } from "../send-entry.ts";
import { sendShown } from "../send-shown.ts";
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
  const forms = formsOf(kind, [entry]);
  const send = (made: Forms) => sendView(context, call, code, chosen, target, made.object(entry));
  return forms instanceof Promise ? forms.then(send) : send(forms);
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
  return sendShown(context, call, code, chosen, value, accepted.codec.protobuf);
}
