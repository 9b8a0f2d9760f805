/** Watch events as bytes: encoded once for each event and representation, for any number of watchers. */

import { checkAnswer, checksCaches } from "../../base/cache-check.ts";
import { encodeEnvelope, encodeWatchFrame } from "../../machinery/codec/envelope.ts";
import { metaSchemas } from "../../machinery/codec/meta-types.ts";
import { encodeProtobuf } from "../../machinery/codec/protobuf.ts";
import { encodeJson } from "../../machinery/json/json.ts";
import type { BoundKind } from "../../machinery/schema/catalog.ts";
import { metadataOf } from "../../machinery/schema/kind-level.ts";
import type { StatusError } from "../../machinery/status/status.ts";
import type { WatcherEvent } from "../../registry/contract/watch.ts";
import type { Call } from "../request/call.ts";
import { type Chosen, notOffered } from "./choose.ts";
import { joinFrames } from "./join-frames.ts";
import { envelopeOf, messageIn, type Representations, representationsOf } from "./representations.ts";
import {
  type IncludeObject,
  partialForm,
  partialOf,
  readIncludeObject,
  rowOf,
  rowOfObject,
  tableHead,
} from "./views.ts";

export interface FrameEncoder {
  /** The content type of the stream. */
  readonly type: string;
  /** Whether no object needs asynchronous conversion. */
  readonly isImmediate: boolean;
  /** A promise if the objects need asynchronous conversion first, the whole batch together. */
  encode(batch: readonly WatcherEvent[]): Buffer | Promise<Buffer>;
  encodeError(error: StatusError): Buffer;
}

/** Throws 406 for a representation that cannot be streamed. */
export function createFrameEncoder(metaGroup: string, call: Call, chosen: Chosen, kind: BoundKind): FrameEncoder {
  const { encoding, view, viewVersion } = chosen.representation;
  if (encoding === "yaml" || view === "PartialObjectMetadataList") throw notOffered(streamTypes(kind), undefined);
  const apiVersion = `${metaGroup}/${viewVersion}`;
  const { isImmediate } = kind.family.conversion;
  if (view === "Table") {
    // Only the first event has the columns, so these frames are not shared.
    const frame = tableFrames(apiVersion, kind, readIncludeObject(call.info.query.get("includeObject")));
    return {
      type: "application/json",
      isImmediate,
      encode: (batch) => framesOf(kind, batch, frame),
      encodeError: jsonError,
    };
  }
  const representation = `${encoding} ${view} ${view === "" ? kind.apiVersion : apiVersion}`;
  const frame: Frame =
    encoding === "protobuf"
      ? (representations, event) => protobufFrame(view === "" ? undefined : apiVersion, representations, event)
      : (representations, event) =>
          view === "" ? jsonFrame(representations, event) : partialFrame(apiVersion, representations, event);
  const make = (batch: readonly WatcherEvent[]) => framesOf(kind, batch, frame);
  return {
    type: encoding === "protobuf" ? `${chosen.type};stream=watch` : chosen.type,
    isImmediate,
    encode(batch) {
      if (batch === latest.batch && representation === latest.representation) {
        if (checksCaches && isImmediate) checkAnswer("the latest frames", latest.frame, make(batch));
        return latest.frame;
      }
      const [first] = batch;
      if (batch.length > 1 && (!isImmediate || isInitial(first!))) return make(batch);
      const frames = batch.map((event) => shared(event, representation, make));
      if (!frames.every(isMade)) return batch.length === 1 ? frames[0]! : make(batch);
      latest.batch = batch;
      latest.representation = representation;
      latest.frame = joinFrames(frames);
      return latest.frame;
    },
    encodeError: (error) => (encoding === "protobuf" ? protobufError(error) : jsonError(error)),
  };
}

const streamTypes = ({ family }: BoundKind): readonly string[] =>
  ["application/json", family.environment.vocabulary.protobufMediaType].map((type) => `${type};stream=watch`);

const isMade = (frame: Buffer | Promise<Buffer>): frame is Buffer => !(frame instanceof Promise);

const isInitial = (event: WatcherEvent): boolean => event.type !== "BOOKMARK" && event.isInitial === true;

/** One event as bytes. */
type Frame = (representations: Representations, event: WatcherEvent) => Buffer;

function framesOf(kind: BoundKind, batch: readonly WatcherEvent[], frame: Frame): Buffer | Promise<Buffer> {
  const { isImmediate } = kind.family.conversion;
  const entries = isImmediate ? [] : batch.flatMap((event) => (event.type === "BOOKMARK" ? [] : [event.entry]));
  const representations = representationsOf(kind, entries);
  const print = (made: Representations) =>
    batch.length === 1 ? frame(made, batch[0]!) : Buffer.concat(batch.map((event) => frame(made, event)));
  return representations instanceof Promise ? representations.then(print) : print(representations);
}

/**
 * Watchers share batches and events, so frames that were made for one watcher serve the next. An event belongs to one kind of one server
 * and never changes; the text says how it is shown.
 */
const made = new WeakMap<WatcherEvent, Map<string, Buffer | Promise<Buffer>>>();

/** What was encoded last: most watchers get a batch one after another, in the same representation. The key is as above. */
const latest: { batch: readonly WatcherEvent[]; representation: string; frame: Buffer } = {
  batch: [],
  representation: "",
  frame: Buffer.alloc(0),
};

function shared(
  event: WatcherEvent,
  representation: string,
  make: (batch: readonly WatcherEvent[]) => Buffer | Promise<Buffer>,
): Buffer | Promise<Buffer> {
  let representations = made.get(event);
  if (representations === undefined) {
    representations = new Map();
    made.set(event, representations);
  }
  let frame = representations.get(representation);
  if (frame === undefined) {
    frame = make([event]);
    representations.set(representation, frame);
    // A conversion that failed for one watcher may work for the next.
    if (frame instanceof Promise) frame.catch(() => representations.delete(representation));
  } else if (checksCaches && frame instanceof Uint8Array) {
    const again = make([event]);
    if (again instanceof Uint8Array) checkAnswer("frames of events", frame, again);
  }
  return frame;
}

const opening: Record<WatcherEvent["type"], Buffer> = {
  ADDED: Buffer.from('{"type":"ADDED","object":'),
  MODIFIED: Buffer.from('{"type":"MODIFIED","object":'),
  DELETED: Buffer.from('{"type":"DELETED","object":'),
  BOOKMARK: Buffer.from('{"type":"BOOKMARK","object":'),
};
const closing = Buffer.from("}\n");

function jsonFrame(representations: Representations, event: WatcherEvent): Buffer {
  if (event.type !== "BOOKMARK") return representations.jsonBetween(event.entry, opening[event.type], closing);
  const object = Buffer.from(encodeJson(bookmark(representations.kind, event)));
  return Buffer.concat([opening[event.type], object, closing]);
}

function partialFrame(apiVersion: string, representations: Representations, event: WatcherEvent): Buffer {
  return textFrame(event.type, partialObject(apiVersion, representations, event));
}

type Bookmark = Extract<WatcherEvent, { type: "BOOKMARK" }>;

/** A bookmark is an object that is empty except for its resourceVersion, and what it says about a watch list. */
function bookmark(kind: BoundKind, { revision, endsInitial }: Bookmark, shown: Shown = listOf(kind)) {
  const metadata = { resourceVersion: String(revision), ...(endsInitial ? marked(kind, shown) : {}) };
  return kind.codec.decode({ metadata });
}

/** The list that a watch list stands for. */
interface Shown {
  readonly kind: string;
  readonly apiVersion: string;
}

const listOf = ({ listKind, apiVersion }: BoundKind): Shown => ({ kind: listKind, apiVersion });

function marked({ family }: BoundKind, { kind, apiVersion }: Shown) {
  const { vocabulary, has } = family.environment;
  const list = `${JSON.stringify({ kind, apiVersion, metadata: {}, items: null })}\n`;
  const blueprint = {
    [vocabulary.word("orch.io/initial-events-list-blueprint")]: Buffer.from(list).toString("base64"),
  };
  return {
    annotations: {
      [vocabulary.word("orch.io/initial-events-end")]: "true",
      ...(has("listBlueprints") ? blueprint : {}),
    },
  };
}

function partialBookmark(apiVersion: string, kind: BoundKind, event: Bookmark) {
  const { metadata } = bookmark(kind, event, { kind: "PartialObjectMetadataList", apiVersion });
  const {
    creationTimestamp = metadataOf(kind).fields.get("creationTimestamp")?.presence === "elided" ? null : undefined,
  } = metadata;
  return {
    apiVersion,
    kind: "PartialObjectMetadata",
    metadata: { ...metadata, ...(creationTimestamp === undefined ? {} : { creationTimestamp }) },
  };
}

function partialObject(apiVersion: string, representations: Representations, event: WatcherEvent) {
  return event.type === "BOOKMARK"
    ? partialBookmark(apiVersion, representations.kind, event)
    : partialOf(apiVersion, representations, event.entry);
}

function textFrame(type: string, object: unknown): Buffer {
  return Buffer.from(`{"type":"${type}","object":${encodeJson(object)}}\n`);
}

function jsonError(error: StatusError): Buffer {
  return textFrame("ERROR", error.toStatus());
}

function protobufFrame(
  partialVersion: string | undefined,
  representations: Representations,
  event: WatcherEvent,
): Buffer {
  const { kind } = representations;
  if (partialVersion === undefined) {
    if (event.type !== "BOOKMARK") return encodeWatchFrame(event.type, envelopeOf(representations, event.entry));
    const message = messageIn(kind, bookmark(kind, event));
    return encodeWatchFrame(event.type, encodeEnvelope(kind.apiVersion, kind.kind, message));
  }
  const object = partialObject(partialVersion, representations, event);
  const message = partialForm(kind.family.environment.level).encode(object);
  return encodeWatchFrame(event.type, encodeEnvelope(object.apiVersion, object.kind, message));
}

function protobufError(error: StatusError): Buffer {
  const status = error.toStatus();
  const message = encodeProtobuf(metaSchemas.get("Status")!, { ...status });
  return encodeWatchFrame("ERROR", encodeEnvelope(status.apiVersion, status.kind, message));
}

/** An annotation marks the end of a watch list, so this row always has metadata. */
const bookmarkInclude = (include: IncludeObject, { endsInitial }: Bookmark): IncludeObject =>
  include === "None" && endsInitial ? "Metadata" : include;

function tableFrames(apiVersion: string, kind: BoundKind, include: IncludeObject): Frame {
  let first = true;
  return (representations, event) => {
    const head = tableHead(apiVersion, kind, { resourceVersion: String(event.revision) });
    // As in v1.21: a bookmark is shown like any object, although everything but its resourceVersion is empty.
    const row =
      event.type === "BOOKMARK"
        ? rowOfObject(kind, bookmark(kind, event), bookmarkInclude(include, event), () =>
            partialBookmark(apiVersion, kind, event),
          )
        : rowOf(apiVersion, representations, event.entry, include);
    const rows = [row];
    const table = first ? { ...head, rows } : { ...head, columnDefinitions: null, rows };
    first = false;
    return textFrame(event.type, table);
  };
}
