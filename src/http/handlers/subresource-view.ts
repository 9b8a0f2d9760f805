/** Shows an object through one of its subresources. */

import type { Entry } from "../../registry/contract/entry.ts";
import type { Call } from "../call.ts";
import type { Context } from "../context.ts";
import type { Chosen } from "../negotiation/choose.ts";
import { objectOf } from "../negotiation/entry-forms.ts";
import { sendEntry } from "../send-entry.ts";
import { sendShown } from "../send-shown.ts";
import { acceptedKind } from "./accepted-kind.ts";
import type { Target } from "./target.ts";

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
  const { environment } = context.catalog;
  const parent = objectOf(entry, kind);
  const refusal = call.info.verb === "get" ? subresource.refuseRead?.(parent, environment) : undefined;
  if (refusal !== undefined) throw refusal;
  const shown = subresource.view(parent, environment);
  const accepted = acceptedKind(context, target) ?? kind;
  // A view is an object of the accepted kind; what it is comes first.
  const value = { kind: accepted.kind, apiVersion: accepted.apiVersion, ...(shown as object) };
  return sendShown(context, call, code, chosen, value, accepted.codec.protobuf);
}
