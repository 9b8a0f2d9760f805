/** Sends one stored object in the representation that the client requested. */

import { inTimeSlices, type Steps, timeSliceFor } from "../../base/time-slice.ts";
import { encodeYamlSteps } from "../../machinery/codec/yaml-steps.ts";
import type { BoundKind } from "../../machinery/schema/catalog.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import type { Entry } from "../../registry/contract/entry.ts";
import { lacksDefaults } from "../../registry/contract/notices.ts";
import type { AnswerBody } from "../contract/exchange.ts";
import { notOffered } from "../negotiation/choose.ts";
import { encodeValue, prettyJson } from "../negotiation/encode-value.ts";
import { envelopeOf, type Representations, representationsOf } from "../negotiation/representations.ts";
import {
  type IncludeObject,
  partialForm,
  partialOf,
  readIncludeObject,
  rowInSteps,
  rowOf,
  tableHead,
} from "../negotiation/views.ts";
import type { Answer, Reply } from "./reply.ts";
import { sendValue } from "./respond.ts";

/** An object of fewer bytes is parsed at once. */
const loadedBytesMin = 64 * 1024;

export function sendEntry(reply: Reply, kind: BoundKind, entry: Entry): Answer {
  if (entry.lacksDefaults) reply.call.warn(lacksDefaults);
  // The stored bytes are sent unchanged; for any other form a large object is parsed first.
  if (entry.length > loadedBytesMin && needsObject(reply, kind, entry)) {
    return inTimeSlices(entry.load()).then(() => convertAndSend(reply, kind, entry));
  }
  return convertAndSend(reply, kind, entry);
}

function needsObject(reply: Reply, kind: BoundKind, entry: Entry): boolean {
  const { view, encoding } = reply.chosen.representation;
  return view !== "" || encoding !== "json" || entry.version !== kind || reply.pretty;
}

function convertAndSend(reply: Reply, kind: BoundKind, entry: Entry): Answer {
  const representations = representationsOf(kind, [entry], reply.call.info.subresource);
  if (representations instanceof Promise) return representations.then((made) => send(reply, made, entry));
  return send(reply, representations, entry);
}

function send(reply: Reply, representations: Representations, entry: Entry): Answer {
  const { view, encoding } = reply.chosen.representation;
  if (view !== "") return sendView(reply, representations, entry);
  const slice =
    encoding === "json" && (reply.pretty || entry.version === representations.kind)
      ? undefined
      : timeSliceFor(entry.length);
  if (slice !== undefined && encoding === "json") {
    return inTimeSlices(representations.jsonInSteps(entry), slice).then((bytes) => reply.send(bytes));
  }
  if (slice !== undefined && encoding === "protobuf") {
    const encoded = inTimeSlices(representations.messageInSteps(entry), slice);
    return encoded.then(() => reply.send(envelopeOf(representations, entry)));
  }
  if (slice !== undefined) {
    return inTimeSlices(yamlInSteps(representations, entry), slice).then((text) => reply.send(text));
  }
  return reply.send(encodeEntry(reply, representations, entry));
}

function* yamlInSteps(representations: Representations, entry: Entry): Steps<Buffer> {
  const object = yield* representations.objectInSteps(entry);
  yield;
  return yield* encodeYamlSteps(object);
}

function encodeEntry(reply: Reply, representations: Representations, entry: Entry): AnswerBody {
  const { representation } = reply.chosen;
  switch (representation.encoding) {
    case "json":
      return reply.pretty ? prettyJson(representations.object(entry)) : representations.content(entry);
    case "yaml":
      return encodeValue(representation, representations.object(entry));
    case "protobuf":
      return envelopeOf(representations, entry);
  }
}

function sendView(reply: Reply, representations: Representations, entry: Entry): Answer {
  const apiVersion = reply.viewApiVersion;
  switch (reply.chosen.representation.view) {
    case "Table": {
      const include = readIncludeObject(reply.call.info.query.get("includeObject"));
      if (entry.length <= loadedBytesMin) {
        const row = rowOf(apiVersion, representations, entry, include);
        return sendValue(reply, tableOf(apiVersion, representations, representations.object(entry), row));
      }
      return inTimeSlices(tableInSteps(apiVersion, representations, entry, include)).then((table) =>
        sendValue(reply, table),
      );
    }
    case "PartialObjectMetadata": {
      const form = partialForm(representations.kind.family.environment.level);
      return sendValue(reply, partialOf(apiVersion, representations, entry), form);
    }
    case "PartialObjectMetadataList":
    case "":
      throw notOffered(["PartialObjectMetadata"], undefined);
  }
}

function* tableInSteps(
  apiVersion: string,
  representations: Representations,
  entry: Entry,
  include: IncludeObject,
): Steps<ReturnType<typeof tableOf>> {
  const object = yield* representations.objectInSteps(entry);
  yield;
  return tableOf(apiVersion, representations, object, yield* rowInSteps(apiVersion, representations, entry, include));
}

function tableOf(apiVersion: string, { kind }: Representations, { metadata: shown }: ApiObject, row: unknown) {
  const { resourceVersion, selfLink } = shown;
  const metadata = {
    ...(selfLink === undefined ? {} : { selfLink }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
  return { ...tableHead(apiVersion, kind, metadata), rows: [row] };
}
