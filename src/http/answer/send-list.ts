/** Sends a list in the representation that the client requested, at the pace of the client. */

import { atOnceBytesMax, TimeSlice } from "../../base/time-slice.ts";
import { encodeListEnvelope, type ListMeta } from "../../machinery/codec/envelope.ts";
import { metaSchemas } from "../../machinery/codec/meta-types.ts";
import { encodeProtobuf } from "../../machinery/codec/protobuf.ts";
import type { BoundKind } from "../../machinery/schema/catalog.ts";
import type { Entry } from "../../registry/contract/entry.ts";
import type { ListResult } from "../../registry/contract/registry.ts";
import { type Chosen, notOffered } from "../negotiation/choose.ts";
import { wantsPretty } from "../negotiation/encode-value.ts";
import { jsonPieces, objectPieces, prettyPieces, yamlPieces } from "../negotiation/list-pieces.ts";
import { hasWholeItems, type ListSource, objectList, partialList, tableList } from "../negotiation/list-source.ts";
import { type Representations, representationsOf } from "../negotiation/representations.ts";
import { inRowOrder, partialOf, readIncludeObject } from "../negotiation/views.ts";
import type { Call } from "../request/call.ts";
import type { Context } from "../server/context.ts";
import { sendPieces } from "./send-pieces.ts";

export function sendList(
  context: Context,
  call: Call,
  chosen: Chosen,
  kind: BoundKind,
  result: ListResult,
): void | Promise<void> {
  if (chosen.representation.view === "PartialObjectMetadata")
    throw notOffered(["PartialObjectMetadataList"], undefined);
  const representations = representationsOf(kind, result.entries);
  if (representations instanceof Promise)
    return representations.then((made) => sendForms(context, call, chosen, made, result));
  return sendForms(context, call, chosen, representations, result);
}

function sendForms(
  context: Context,
  call: Call,
  chosen: Chosen,
  representations: Representations,
  result: ListResult,
): void | Promise<void> {
  const { representation, type } = chosen;
  const { view, encoding } = representation;
  const metadata = metadataOf(result, view === "" && hasWholeItems(representations.kind));
  if (encoding === "protobuf")
    return sendProtobufList(context, call, chosen, representations, metadata, result.entries);
  const pretty = encoding === "json" && (representation.pretty || wantsPretty(call.exchange, call.info.query));
  if (view === "" && encoding === "json" && !pretty) {
    const { pieces, total } = objectPieces(representations, metadata, result.entries);
    return sendPieces(context, call, 200, type, pieces, { total });
  }
  const source = sourceOf(context, call, chosen, representations, metadata);
  const print = encoding === "yaml" ? yamlPieces : pretty ? prettyPieces : jsonPieces;
  const send = (entries: readonly Entry[]) => sendPieces(context, call, 200, type, print(source, entries));
  return view === "Table" ? inRowOrder(representations, result.entries).then(send) : send(result.entries);
}

/** Lists of custom resources have an empty `continue` when nothing follows; others leave it out. */
function metadataOf(result: ListResult, saysEnd: boolean): ListMeta {
  return {
    ...(result.revision === 0n ? {} : { resourceVersion: String(result.revision) }),
    ...(result.continue === "" && !saysEnd ? {} : { continue: result.continue }),
    ...(result.remainingItemCount === undefined ? {} : { remainingItemCount: result.remainingItemCount }),
  };
}

function sourceOf(
  context: Context,
  call: Call,
  chosen: Chosen,
  representations: Representations,
  metadata: ListMeta,
): ListSource {
  const { view, viewVersion } = chosen.representation;
  if (view === "") return objectList(representations, metadata);
  const apiVersion = `${context.metaGroup}/${viewVersion}`;
  if (view !== "Table") return partialList(apiVersion, representations, metadata);
  return tableList(apiVersion, representations, metadata, readIncludeObject(call.info.query.get("includeObject")));
}

/** In protobuf the length of the whole list comes first, so all items are encoded before anything is sent. */
async function sendProtobufList(
  context: Context,
  call: Call,
  { representation, type }: Chosen,
  representations: Representations,
  metadata: ListMeta,
  entries: readonly Entry[],
): Promise<void> {
  const { kind } = representations;
  const { view, viewVersion } = representation;
  const apiVersion = view === "" ? kind.apiVersion : `${context.metaGroup}/${viewVersion}`;
  const partial = metaSchemas.get("PartialObjectMetadata")!;
  const messages: Uint8Array[] = [];
  const slice = new TimeSlice();
  for (const entry of entries) {
    messages.push(
      view === ""
        ? representations.message(entry)
        : encodeProtobuf(partial, partialOf(apiVersion, representations, entry)),
    );
    if (entry.bytes.length > atOnceBytesMax ? slice.isLong : slice.isOver) await slice.next();
  }
  const pieces = encodeListEnvelope(apiVersion, view === "" ? kind.listKind : view, metadata, messages);
  return sendPieces(context, call, 200, type, pieces);
}
