/** Sends a list as a sequence of pieces: never one giant string, and never faster than its reader takes it. */

import { encodeListEnvelope } from "../machinery/codec/envelope.ts";
import { encodeJson } from "../machinery/codec/json.ts";
import { metaSchemas } from "../machinery/codec/meta-types.ts";
import { encodeProtobuf } from "../machinery/codec/protobuf.ts";
import { encodeYaml } from "../machinery/codec/yaml.ts";
import type { BoundKind } from "../machinery/schema/catalog.ts";
import type { Entry, ListResult } from "../registry/contract.ts";
import type { Call } from "./call.ts";
import type { Context } from "./context.ts";
import type { Chosen } from "./negotiation/choose.ts";
import { notOffered } from "./negotiation/choose.ts";
import { prettyJson } from "./negotiation/encode-value.ts";
import { itemOffsetOf, jsonOf, messageOf, objectOf } from "./negotiation/entry-forms.ts";
import { wantsPretty } from "./negotiation/pretty.ts";
import type { IncludeObject, ListMetadata } from "./negotiation/views.ts";
import { partialOf, readIncludeObject, rowOf, tableHead } from "./negotiation/views.ts";
import { sendBody } from "./respond.ts";
import { sendPieces } from "./send-pieces.ts";

export function sendList(
  context: Context,
  call: Call,
  chosen: Chosen,
  kind: BoundKind,
  result: ListResult,
): void | Promise<void> {
  const { representation, type } = chosen;
  const { entries } = result;
  const metadata = metadataOf(result);
  const apiVersion = `${context.metaGroup}/${representation.viewVersion}`;
  const { view, encoding } = representation;
  if (view === "PartialObjectMetadata") throw notOffered(["PartialObjectMetadataList"], undefined);

  if (encoding === "protobuf") {
    const pieces =
      view === ""
        ? encodeListEnvelope(kind.apiVersion, kind.listKind, metadata, messagesOf(entries, kind))
        : encodeListEnvelope(apiVersion, view, metadata, partialMessagesOf(apiVersion, entries));
    return sendPieces(context, call, 200, type, pieces);
  }
  const source =
    view === ""
      ? objectList(kind, metadata)
      : view === "Table"
        ? tableOf(call, apiVersion, kind, metadata)
        : partialList(apiVersion, metadata);
  if (encoding === "yaml") return sendPieces(context, call, 200, type, yamlPieces(source, entries));
  if (representation.pretty || wantsPretty(call.exchange, call.info.query)) {
    const { head, itemsName, item } = source;
    return sendBody(context, call, 200, type, prettyJson({ ...head, [itemsName]: entries.map(item) }));
  }
  return sendPieces(
    context,
    call,
    200,
    type,
    view === "" ? storedPieces(kind, metadata, entries) : jsonPieces(source, entries),
  );
}

function metadataOf(result: ListResult): ListMetadata {
  return {
    resourceVersion: String(result.revision),
    ...(result.continue === "" ? {} : { continue: result.continue }),
    ...(result.remainingItemCount === undefined ? {} : { remainingItemCount: result.remainingItemCount }),
  };
}

/** A list apart from its items. */
interface Source {
  readonly head: Readonly<Record<string, unknown>>;
  readonly itemsName: "items" | "rows";
  /** What the reference prints for no items. */
  readonly whenEmpty: "[]" | "null";
  item(entry: Entry): unknown;
}

function objectList(kind: BoundKind, metadata: ListMetadata): Source {
  return {
    head: { kind: kind.listKind, apiVersion: kind.apiVersion, metadata },
    itemsName: "items",
    whenEmpty: "[]",
    item(entry) {
      const { kind: _kind, apiVersion: _apiVersion, ...rest } = objectOf(entry, kind);
      return rest;
    },
  };
}

function tableOf(call: Call, apiVersion: string, kind: BoundKind, metadata: ListMetadata): Source {
  const include: IncludeObject = readIncludeObject(call.info.query.get("includeObject"));
  return {
    head: { ...tableHead(apiVersion, kind, metadata) },
    itemsName: "rows",
    whenEmpty: "[]",
    item: (entry) => rowOf(apiVersion, kind, entry, include),
  };
}

/** The reference does not say here how many are left. */
function partialList(apiVersion: string, { remainingItemCount: _count, ...metadata }: ListMetadata): Source {
  return {
    head: { kind: "PartialObjectMetadataList", apiVersion, metadata },
    itemsName: "items",
    whenEmpty: "null",
    item: (entry) => partialOf(apiVersion, entry),
  };
}

const brace = Buffer.from("{");
const commaBrace = Buffer.from(",{");
const comma = Buffer.from(",");
const closing = Buffer.from("]}");

/** The stored bytes themselves; nothing is parsed or printed again. */
function* storedPieces(kind: BoundKind, metadata: ListMetadata, entries: readonly Entry[]): Iterable<Buffer> {
  const head = encodeJson({ kind: kind.listKind, apiVersion: kind.apiVersion, metadata });
  yield Buffer.from(`${head.slice(0, -1)},"items":[`);
  const offset = itemOffsetOf(kind);
  let before = brace;
  for (const entry of entries) {
    yield before;
    yield jsonOf(entry, kind).subarray(offset);
    before = commaBrace;
  }
  yield closing;
}

function* jsonPieces(source: Source, entries: readonly Entry[]): Iterable<Buffer> {
  const head = encodeJson(source.head).slice(0, -1);
  if (entries.length === 0) {
    yield Buffer.from(`${head},"${source.itemsName}":${source.whenEmpty}}`);
    return;
  }
  yield Buffer.from(`${head},"${source.itemsName}":[`);
  let first = true;
  for (const entry of entries) {
    if (!first) yield comma;
    first = false;
    yield Buffer.from(encodeJson(source.item(entry)));
  }
  yield closing;
}

/** Keys are sorted in YAML, so what is after the items' name follows the items. */
function* yamlPieces(source: Source, entries: readonly Entry[]): Iterable<Buffer> {
  const { head, itemsName } = source;
  const before = Object.entries(head).filter(([name]) => name < itemsName);
  const after = Object.entries(head).filter(([name]) => name > itemsName);
  const empty = entries.length === 0 ? ` ${source.whenEmpty}` : "";
  yield Buffer.from(`${encodeYaml(Object.fromEntries(before))}${itemsName}:${empty}\n`);
  for (const entry of entries) yield Buffer.from(encodeYaml([source.item(entry)]));
  if (after.length > 0) yield Buffer.from(encodeYaml(Object.fromEntries(after)));
}

function messagesOf(entries: readonly Entry[], kind: BoundKind): Uint8Array[] {
  return entries.map((entry) => messageOf(entry, kind));
}

function partialMessagesOf(apiVersion: string, entries: readonly Entry[]): Uint8Array[] {
  const schema = metaSchemas.get("PartialObjectMetadata")!;
  return entries.map((entry) => encodeProtobuf(schema, partialOf(apiVersion, entry)));
}
