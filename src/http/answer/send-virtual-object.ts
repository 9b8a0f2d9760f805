/** Sends an object that is not stored (a Scale, the answer of a review), whole, as a Table or as its metadata only. */

import type { BoundKind } from "../../machinery/schema/catalog.ts";
import type { ProtobufForm } from "../../machinery/schema/codec.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import { notOffered } from "../negotiation/choose.ts";
import type { TypedValue } from "../negotiation/encode-value.ts";
import { partialForm, readIncludeObject, rowOfObject, tableHead } from "../negotiation/views.ts";
import type { Answer, Reply } from "./reply.ts";
import { sendValue } from "./respond.ts";

type VirtualObject = TypedValue & { readonly metadata?: unknown };

export function sendVirtualObject(reply: Reply, value: VirtualObject, form: ProtobufForm | undefined): Answer {
  const { view } = reply.chosen.representation;
  // A Status has no views, so it is sent whole for any Accept header.
  if (view === "" || value.kind === "Status") return sendValue(reply, value, form);
  if (view !== "PartialObjectMetadata") throw notOffered(["PartialObjectMetadata"], undefined);
  return sendValue(reply, partialOf(reply, value), partialForm(reply.context.catalog.environment.level));
}

/** Of a path whose objects have columns: `object` is of `kind`. */
export function sendVirtualTable(reply: Reply, object: ApiObject, kind: BoundKind): Answer {
  const include = readIncludeObject(reply.call.info.query.get("includeObject"));
  const { resourceVersion } = object.metadata;
  const head = tableHead(reply.viewApiVersion, kind, resourceVersion === undefined ? {} : { resourceVersion });
  const table = { ...head, rows: [rowOfObject(kind, object, include, () => partialOf(reply, object))] };
  return sendValue(reply, table);
}

const partialOf = (reply: Reply, { metadata = {} }: { readonly metadata?: unknown }) => ({
  kind: "PartialObjectMetadata",
  apiVersion: reply.viewApiVersion,
  metadata,
});
