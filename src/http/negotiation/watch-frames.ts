/** Watch events as bytes: encoded once for each event and form, for any number of watchers. */

import { encodeEnvelope, encodeWatchFrame } from "../../machinery/codec/envelope.ts";
import { encodeJson } from "../../machinery/codec/json.ts";
import { metaSchemas } from "../../machinery/codec/meta-types.ts";
import { encodeProtobuf } from "../../machinery/codec/protobuf.ts";
import type { BoundKind } from "../../machinery/schema/catalog.ts";
import type { StatusError } from "../../machinery/status/status.ts";
import type { WatchEvent } from "../../registry/contract/watch.ts";
import type { Call } from "../call.ts";
import type { Context } from "../context.ts";
import { type Chosen, notOffered } from "./choose.ts";
import { envelopeOf, type Forms, formsOf, messageIn } from "./entry-forms.ts";
import { type IncludeObject, partialOf, readIncludeObject, rowOf, rowOfObject, tableHead } from "./views.ts";

export interface FrameEncoder {
  /** The content type of the stream. */
  readonly type: string;
  /** A promise if the objects need asynchronous conversion first, the whole batch together. */
  encode(batch: readonly WatchEvent[]): Buffer | Promise<Buffer>;
  encodeError(error: StatusError): Buffer;
}

/** Throws 406 for a representation that cannot be streamed. */
export function createFrameEncoder(context: Context, call: Call, chosen: Chosen, kind: BoundKind): FrameEncoder {
  const { encoding, view, viewVersion } = chosen.representation;
  if (encoding === "yaml" || view === "PartialObjectMetadataList") throw notOffered(["application/json"], undefined);
  const apiVersion = `${context.metaGroup}/${viewVersion}`;
  if (view === "Table") {
    // Only the first event has the columns, so these frames are not shared.
    const frame = tableFrames(apiVersion, kind, readIncludeObject(call.info.query.get("includeObject")));
    return {
      type: "application/json",
      encode: (batch) => framesOf(kind, batch, frame),
      encodeError: jsonError,
    };
  }
  const form = `${encoding} ${view} ${view === "" ? kind.apiVersion : apiVersion}`;
  const frame: Frame =
    encoding === "protobuf"
      ? (forms, event) => protobufFrame(view === "" ? undefined : apiVersion, forms, event)
      : (forms, event) => (view === "" ? jsonFrame(forms, event) : partialFrame(apiVersion, forms, event));
  const make = (batch: readonly WatchEvent[]) => framesOf(kind, batch, frame);
  return {
    type: encoding === "protobuf" ? `${chosen.type};stream=watch` : chosen.type,
    encode: (batch) => (batch.length === 1 ? shared(batch[0]!, form, () => make(batch)) : make(batch)),
    encodeError: (error) => (encoding === "protobuf" ? protobufError(error) : jsonError(error)),
  };
}

/** One event as bytes. */
type Frame = (forms: Forms, event: WatchEvent) => Buffer;

function framesOf(kind: BoundKind, batch: readonly WatchEvent[], frame: Frame): Buffer | Promise<Buffer> {
  const { isImmediate } = kind.family.conversion;
  const entries = isImmediate ? [] : batch.flatMap((event) => (event.type === "BOOKMARK" ? [] : [event.entry]));
  const forms = formsOf(kind, entries);
  const print = (made: Forms) =>
    batch.length === 1 ? frame(made, batch[0]!) : Buffer.concat(batch.map((event) => frame(made, event)));
  return forms instanceof Promise ? forms.then(print) : print(forms);
}

/** Watchers share batches and events, so frames that were made for one watcher serve the next. */
const made = new WeakMap<object, Map<string, Buffer | Promise<Buffer>>>();

function shared(key: object, form: string, make: () => Buffer | Promise<Buffer>): Buffer | Promise<Buffer> {
  let forms = made.get(key);
  if (forms === undefined) {
    forms = new Map();
    made.set(key, forms);
  }
  let frame = forms.get(form);
  if (frame === undefined) {
    frame = make();
    forms.set(form, frame);
    // A conversion that failed for one watcher may work for the next.
    if (frame instanceof Promise) frame.catch(() => forms.delete(form));
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

function jsonFrame(forms: Forms, event: WatchEvent): Buffer {
  const object =
    event.type === "BOOKMARK" ? Buffer.from(encodeJson(bookmark(forms.kind, event.revision))) : forms.json(event.entry);
  return Buffer.concat([opening[event.type], object, closing]);
}

function partialFrame(apiVersion: string, forms: Forms, event: WatchEvent): Buffer {
  return textFrame(event.type, partialObject(apiVersion, forms, event));
}

/** A bookmark is an object that is empty except for its resourceVersion. */
function bookmark(kind: BoundKind, revision: bigint) {
  return kind.codec.decode({ metadata: { resourceVersion: String(revision) } });
}

function partialBookmark(apiVersion: string, revision: bigint) {
  const metadata = { resourceVersion: String(revision), creationTimestamp: null };
  return { apiVersion, kind: "PartialObjectMetadata", metadata };
}

function partialObject(apiVersion: string, forms: Forms, event: WatchEvent) {
  return event.type === "BOOKMARK"
    ? partialBookmark(apiVersion, event.revision)
    : partialOf(apiVersion, forms, event.entry);
}

function textFrame(type: string, object: unknown): Buffer {
  return Buffer.from(`{"type":"${type}","object":${encodeJson(object)}}\n`);
}

function jsonError(error: StatusError): Buffer {
  return textFrame("ERROR", error.toStatus());
}

function protobufFrame(partialVersion: string | undefined, forms: Forms, event: WatchEvent): Buffer {
  const { kind } = forms;
  if (partialVersion === undefined) {
    if (event.type !== "BOOKMARK") return encodeWatchFrame(event.type, envelopeOf(forms, event.entry));
    const message = messageIn(kind, bookmark(kind, event.revision));
    return encodeWatchFrame(event.type, encodeEnvelope(kind.apiVersion, kind.kind, message));
  }
  const object = partialObject(partialVersion, forms, event);
  const message = encodeProtobuf(metaSchemas.get("PartialObjectMetadata")!, object);
  return encodeWatchFrame(event.type, encodeEnvelope(object.apiVersion, object.kind, message));
}

function protobufError(error: StatusError): Buffer {
  const status = error.toStatus();
  const message = encodeProtobuf(metaSchemas.get("Status")!, { ...status });
  return encodeWatchFrame("ERROR", encodeEnvelope(status.apiVersion, status.kind, message));
}

function tableFrames(apiVersion: string, kind: BoundKind, include: IncludeObject): Frame {
  let first = true;
  return (forms, event) => {
    const head = tableHead(apiVersion, kind, { resourceVersion: String(event.revision) });
    // As in v1.21: a bookmark is shown like any object, although everything but its resourceVersion is empty.
    const row =
      event.type === "BOOKMARK"
        ? rowOfObject(kind, bookmark(kind, event.revision), include, () => partialBookmark(apiVersion, event.revision))
        : rowOf(apiVersion, forms, event.entry, include);
    const rows = [row];
    const table = first ? { ...head, rows } : { ...head, columnDefinitions: null, rows };
    first = false;
    return textFrame(event.type, table);
  };
}
