/** Watch events as bytes: encoded once for each event and form, whatever the number of watchers. */

import { encodeEnvelope, encodeWatchFrame } from "../../machinery/codec/envelope.ts";
import { encodeJson } from "../../machinery/codec/json.ts";
import { metaSchemas } from "../../machinery/codec/meta-types.ts";
import { encodeProtobuf } from "../../machinery/codec/protobuf.ts";
import type { BoundKind } from "../../machinery/schema/catalog.ts";
import type { StatusError } from "../../machinery/status/status.ts";
import type { WatchEvent } from "../../registry/contract/watch.ts";
import type { Call } from "../call.ts";
import type { Context } from "../context.ts";
import type { Chosen } from "./choose.ts";
import { notOffered } from "./choose.ts";
import { envelopeOf, jsonOf, messageIn } from "./entry-forms.ts";
import type { IncludeObject } from "./views.ts";
import { partialOf, readIncludeObject, rowOf, rowOfObject, tableHead } from "./views.ts";

export interface FrameEncoder {
  /** The content type of the stream. */
  readonly type: string;
  encode(batch: readonly WatchEvent[]): Buffer;
  encodeError(error: StatusError): Buffer;
}

/** Throws 406 for what cannot be streamed. */
export function createFrameEncoder(context: Context, call: Call, chosen: Chosen, kind: BoundKind): FrameEncoder {
  const { encoding, view, viewVersion } = chosen.representation;
  if (encoding === "yaml" || view === "PartialObjectMetadataList") throw notOffered(["application/json"], undefined);
  const apiVersion = `${context.metaGroup}/${viewVersion}`;
  if (view === "Table") {
    // The columns come with the first event only, so these frames are not shared.
    return tableFrames(apiVersion, kind, readIncludeObject(call.info.query.get("includeObject")));
  }
  const form = `${encoding} ${view} ${view === "" ? kind.apiVersion : apiVersion}`;
  const one =
    encoding === "protobuf"
      ? (event: WatchEvent) => protobufFrame(view === "" ? undefined : apiVersion, kind, event)
      : (event: WatchEvent) => (view === "" ? jsonFrame(kind, event) : partialFrame(apiVersion, event));
  return {
    type: encoding === "protobuf" ? `${chosen.type};stream=watch` : chosen.type,
    encode: (batch) => sharedFrames(batch, form, one),
    encodeError: (error) => (encoding === "protobuf" ? protobufError(error) : jsonError(error)),
  };
}

/** Batches and events are shared by watchers, so what was made of them for one is there for the next. */
const made = new WeakMap<object, Map<string, Buffer>>();

function sharedFrames(batch: readonly WatchEvent[], form: string, one: (event: WatchEvent) => Buffer): Buffer {
  if (batch.length === 1) return shared(batch[0]!, form, () => one(batch[0]!));
  return Buffer.concat(batch.map((event) => one(event)));
}

function shared(key: object, form: string, make: () => Buffer): Buffer {
  let forms = made.get(key);
  if (forms === undefined) {
    forms = new Map();
    made.set(key, forms);
  }
  let frame = forms.get(form);
  if (frame === undefined) {
    frame = make();
    forms.set(form, frame);
  }
  return frame;
}

const opening: Record<WatchEvent["type"], Buffer> = {
  ADDED: Buffer.from('{"type":"ADDED","object":'),
  MODIFIED: Buffer.from('{"type":"MODIFIED","object":'),
  DELETED: Buffer.from('{"type":"DELETED","object":'),
  BOOKMARK: Buffer.from('{"type":"BOOKMARK","object":'),
};
const closing = Buffer.from("}\n");

function jsonFrame(kind: BoundKind, event: WatchEvent): Buffer {
  const object =
    event.type === "BOOKMARK" ? Buffer.from(encodeJson(bookmark(kind, event.revision))) : jsonOf(event.entry, kind);
  return Buffer.concat([opening[event.type], object, closing]);
}

function partialFrame(apiVersion: string, event: WatchEvent): Buffer {
  return textFrame(event.type, partialObject(apiVersion, event));
}

/** A bookmark is an otherwise empty object of which only the version counts. */
function bookmark(kind: BoundKind, revision: bigint) {
  return kind.codec.decode({ metadata: { resourceVersion: String(revision) } });
}

function partialBookmark(apiVersion: string, revision: bigint) {
  const metadata = { resourceVersion: String(revision), creationTimestamp: null };
  return { kind: "PartialObjectMetadata", apiVersion, metadata };
}

function partialObject(apiVersion: string, event: WatchEvent) {
  return event.type === "BOOKMARK" ? partialBookmark(apiVersion, event.revision) : partialOf(apiVersion, event.entry);
}

function textFrame(type: string, object: unknown): Buffer {
  return Buffer.from(`{"type":"${type}","object":${encodeJson(object)}}\n`);
}

function jsonError(error: StatusError): Buffer {
  return textFrame("ERROR", error.toStatus());
}

function protobufFrame(partialVersion: string | undefined, kind: BoundKind, event: WatchEvent): Buffer {
  if (partialVersion === undefined) {
    if (event.type !== "BOOKMARK") return encodeWatchFrame(event.type, envelopeOf(event.entry, kind));
    const message = messageIn(kind, bookmark(kind, event.revision));
    return encodeWatchFrame(event.type, encodeEnvelope(kind.apiVersion, kind.kind, message));
  }
  const object = partialObject(partialVersion, event);
  const message = encodeProtobuf(metaSchemas.get("PartialObjectMetadata")!, object);
  return encodeWatchFrame(event.type, encodeEnvelope(object.apiVersion, object.kind, message));
}

function protobufError(error: StatusError): Buffer {
  const status = error.toStatus();
  const message = encodeProtobuf(metaSchemas.get("Status")!, { ...status });
  return encodeWatchFrame("ERROR", encodeEnvelope(status.apiVersion, status.kind, message));
}

function tableFrames(apiVersion: string, kind: BoundKind, include: IncludeObject): FrameEncoder {
  let first = true;
  const frame = (event: WatchEvent): Buffer => {
    const head = tableHead(apiVersion, kind, { resourceVersion: String(event.revision) });
    // As v1.21: a bookmark is shown like any object, though all but its version is empty.
    const row =
      event.type === "BOOKMARK"
        ? rowOfObject(kind, bookmark(kind, event.revision), include, () => partialBookmark(apiVersion, event.revision))
        : rowOf(apiVersion, kind, event.entry, include);
    const rows = [row];
    const table = first ? { ...head, rows } : { ...head, columnDefinitions: null, rows };
    first = false;
    return textFrame(event.type, table);
  };
  return {
    type: "application/json",
    encode: (batch) => Buffer.concat(batch.map(frame)),
    encodeError: jsonError,
  };
}
