/** Sends an object that is not stored (a Scale, the answer of a review), whole or as its metadata only. */

import type { ProtobufForm } from "../../machinery/schema/codec.ts";
import { notOffered } from "../negotiation/choose.ts";
import type { TypedValue } from "../negotiation/encode-value.ts";
import type { Answer, Reply } from "./reply.ts";
import { sendValue } from "./respond.ts";

type VirtualObject = TypedValue & { readonly metadata?: unknown };

export function sendVirtualObject(reply: Reply, value: VirtualObject, form: ProtobufForm | undefined): Answer {
  const { view } = reply.chosen.representation;
  // A Status has no views, so it is sent whole for any Accept header.
  if (view === "" || value.kind === "Status") return sendValue(reply, value, form);
  if (view !== "PartialObjectMetadata") throw notOffered(["PartialObjectMetadata"], undefined);
  const { metadata = {} } = value;
  const shown = { kind: "PartialObjectMetadata", apiVersion: reply.viewApiVersion, metadata };
  return sendValue(reply, shown);
}
