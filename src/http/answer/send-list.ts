/** Sends a list in the representation that the client requested, at the pace of the client. */

import { atOnceBytesMax, inTimeSlices, TimeSlice } from "../../base/time-slice.ts";
import { encodeListEnvelope, type ListMeta } from "../../machinery/codec/envelope.ts";
import type { BoundKind } from "../../machinery/schema/catalog.ts";
import { conventionsOf } from "../../machinery/schema/conventions.ts";
import type { Entry } from "../../registry/contract/entry.ts";
import type { ListResult } from "../../registry/contract/registry.ts";
import type { ResponseHeaders } from "../contract/exchange.ts";
import { notOffered } from "../negotiation/choose.ts";
import type { NamedPath } from "../negotiation/field-paths.ts";
import { jsonPieces, objectPieces, prettyPieces, yamlPieces } from "../negotiation/list-pieces.ts";
import { type ListSource, objectList, partialList, tableList } from "../negotiation/list-source.ts";
import { type Representations, representationsOf } from "../negotiation/representations.ts";
import { selectedList } from "../negotiation/selected-fields.ts";
import { inRowOrder, partialForm, partialOf, readIncludeObject } from "../negotiation/views.ts";
import type { Answer, Reply } from "./reply.ts";
import { sendPieces } from "./send-pieces.ts";

/** How the answer to a question is shown. */
interface ListView {
  /** The only members of objects that are shown; undefined: all. */
  readonly select?: readonly NamedPath[] | undefined;
  readonly headers?: ResponseHeaders | undefined;
  /** Whether a client asked for the order, which a Table then keeps. */
  readonly isOrdered?: boolean;
}

export function sendList(reply: Reply, kind: BoundKind, result: ListResult, shown: ListView = {}): Answer {
  if (reply.chosen.representation.view === "PartialObjectMetadata")
    throw notOffered(["PartialObjectMetadataList"], undefined);
  const representations = representationsOf(kind, result.entries);
  if (representations instanceof Promise) return representations.then((made) => send(reply, made, result, shown));
  return send(reply, representations, result, shown);
}

function send(reply: Reply, representations: Representations, result: ListResult, shown: ListView): Answer {
  const { view, encoding } = reply.chosen.representation;
  const { entries } = result;
  const { select, headers, isOrdered = false } = shown;
  const metadata = {
    ...(representations.hasSelfLinks ? { selfLink: encodeURI(reply.call.info.path) } : {}),
    ...metadataOf(result, view === "" && conventionsOf(representations.kind).hasEmptyContinue),
  };
  if (encoding === "protobuf") return sendProtobufList(reply, representations, metadata, { entries, headers });
  const pretty = encoding === "json" && reply.pretty;
  if (view === "" && encoding === "json" && !pretty && select === undefined) {
    const { pieces, total } = objectPieces(representations, metadata, entries);
    return sendPieces(reply, pieces, { total, headers });
  }
  const whole = sourceOf(reply, representations, metadata);
  const source = select === undefined ? whole : selectedList(whole, representations, select);
  const print = encoding === "yaml" ? yamlPieces : pretty ? prettyPieces : jsonPieces;
  const sendSorted = (sorted: readonly Entry[]) => sendPieces(reply, print(source, sorted), { headers });
  return view === "Table" && !isOrdered ? inRowOrder(representations, entries).then(sendSorted) : sendSorted(entries);
}

function metadataOf(result: ListResult, saysEnd: boolean): ListMeta {
  return {
    ...(result.revision === 0n ? {} : { resourceVersion: String(result.revision) }),
    ...(result.continue === "" && !saysEnd ? {} : { continue: result.continue }),
    ...(result.remainingItemCount === undefined ? {} : { remainingItemCount: result.remainingItemCount }),
  };
}

function sourceOf(reply: Reply, representations: Representations, metadata: ListMeta): ListSource {
  const { view } = reply.chosen.representation;
  if (view === "") return objectList(representations, metadata);
  if (view !== "Table") return partialList(reply.viewApiVersion, representations, metadata);
  const include = readIncludeObject(reply.call.info.query.get("includeObject"));
  return tableList(reply.viewApiVersion, representations, metadata, include);
}

/** In protobuf the length of the whole list comes first, so all items are encoded before anything is sent. */
async function sendProtobufList(
  reply: Reply,
  representations: Representations,
  metadata: ListMeta,
  { entries, headers }: { readonly entries: readonly Entry[]; readonly headers: ResponseHeaders | undefined },
): Promise<void> {
  const { kind } = representations;
  const { view } = reply.chosen.representation;
  const apiVersion = view === "" ? kind.apiVersion : reply.viewApiVersion;
  const partial = partialForm(kind.family.environment.level);
  const messages: Uint8Array[] = [];
  const slice = new TimeSlice();
  for (const entry of entries) {
    const isLarge = entry.length > atOnceBytesMax;
    if (view !== "") {
      const object = isLarge ? await inTimeSlices(representations.objectInSteps(entry), slice) : undefined;
      if (isLarge && slice.isLong) await slice.next();
      messages.push(partial.encode(partialOf(apiVersion, representations, entry, object)));
    } else if (isLarge) messages.push(await inTimeSlices(representations.messageInSteps(entry), slice));
    else messages.push(representations.message(entry));
    if (isLarge ? slice.isLong : slice.isOver) await slice.next();
  }
  if (slice.isLong) await slice.next();
  const pieces = encodeListEnvelope(apiVersion, view === "" ? kind.listKind : view, metadata, messages);
  return sendPieces(reply, pieces, { headers });
}
