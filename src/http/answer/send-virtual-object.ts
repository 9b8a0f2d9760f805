/** Sends an object that is not stored (a Scale, the answer of a review), whole or as its metadata only. */

import type { ProtobufForm } from "../../machinery/schema/codec.ts";
import { type Chosen, notOffered } from "../negotiation/choose.ts";
import type { TypedValue } from "../negotiation/encode-value.ts";
import type { Call } from "../request/call.ts";
import type { Context } from "../server/context.ts";
import { sendValue } from "./respond.ts";

export function sendVirtualObject(
  context: Context,
  call: Call,
  code: number,
  chosen: Chosen,
  value: TypedValue & { readonly metadata?: unknown },
  form: ProtobufForm | undefined,
): void | Promise<void> {
  const { view, viewVersion } = chosen.representation;
  // A Status has no views, so it is sent whole for any Accept header.
  if (view === "" || value.kind === "Status") return sendValue(context, call, code, chosen, value, form);
  if (view !== "PartialObjectMetadata") throw notOffered(["PartialObjectMetadata"], undefined);
  const { metadata = {} } = value;
  const shown = { kind: "PartialObjectMetadata", apiVersion: `${context.metaGroup}/${viewVersion}`, metadata };
  return sendValue(context, call, code, chosen, shown);
}
