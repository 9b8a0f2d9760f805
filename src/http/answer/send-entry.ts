/** Sends one stored object in the representation that the client requested. */

import { inTimeSlices, timeSliceFor } from "../../base/time-slice.ts";
import { encodeYamlSteps } from "../../machinery/codec/yaml-steps.ts";
import type { BoundKind } from "../../machinery/schema/catalog.ts";
import type { Entry } from "../../registry/contract/entry.ts";
import { lacksDefaults } from "../../registry/contract/notices.ts";
import { type Chosen, notOffered } from "../negotiation/choose.ts";
import { encodeValue, prettyJson, wantsPretty } from "../negotiation/encode-value.ts";
import { envelopeOf, type Representations, representationsOf } from "../negotiation/representations.ts";
import { partialOf, readIncludeObject, rowOf, tableHead } from "../negotiation/views.ts";
import type { Call } from "../request/call.ts";
import type { Context } from "../server/context.ts";
import { sendBody, sendValue } from "./respond.ts";

/** An object of fewer bytes is parsed at once. */
const loadedBytesMin = 64 * 1024;

export function sendEntry(
  context: Context,
  call: Call,
  code: number,
  chosen: Chosen,
  kind: BoundKind,
  entry: Entry,
): void | Promise<void> {
  if (entry.lacksDefaults) call.warn(lacksDefaults);
  // The stored bytes are sent unchanged; for any other form a large object is parsed first.
  if (entry.bytes.length > loadedBytesMin && needsObject(call, chosen, kind, entry)) {
    return inTimeSlices(entry.load()).then(() => sendEntryForms(context, call, code, chosen, kind, entry));
  }
  return sendEntryForms(context, call, code, chosen, kind, entry);
}

function needsObject(call: Call, { representation }: Chosen, kind: BoundKind, entry: Entry): boolean {
  const { view, encoding, pretty } = representation;
  if (view !== "" || encoding !== "json" || entry.version !== kind) return true;
  return pretty || wantsPretty(call.exchange, call.info.query);
}

function sendEntryForms(
  context: Context,
  call: Call,
  code: number,
  chosen: Chosen,
  kind: BoundKind,
  entry: Entry,
): void | Promise<void> {
  const representations = representationsOf(kind, [entry]);
  if (representations instanceof Promise)
    return representations.then((made) => sendForms(context, call, code, chosen, made, entry));
  return sendForms(context, call, code, chosen, representations, entry);
}

function sendForms(
  context: Context,
  call: Call,
  code: number,
  chosen: Chosen,
  representations: Representations,
  entry: Entry,
): void | Promise<void> {
  const { representation, type } = chosen;
  if (representation.view !== "") return sendView(context, call, code, chosen, representations, entry);
  const slice = representation.encoding === "json" ? undefined : timeSliceFor(entry.bytes.length);
  if (slice !== undefined && representation.encoding === "protobuf") {
    const encoded = inTimeSlices(representations.messageInSteps(entry), slice);
    return encoded.then(() => sendBody(context, call, code, type, envelopeOf(representations, entry)));
  }
  if (slice !== undefined) {
    const encoded = inTimeSlices(encodeYamlSteps(representations.object(entry)), slice);
    return encoded.then((text) => sendBody(context, call, code, type, text));
  }
  return sendBody(context, call, code, type, encodeEntry(call, chosen, representations, entry));
}

function encodeEntry(
  call: Call,
  { representation }: Chosen,
  representations: Representations,
  entry: Entry,
): Buffer | string {
  switch (representation.encoding) {
    case "json":
      if (representation.pretty || wantsPretty(call.exchange, call.info.query))
        return prettyJson(representations.object(entry));
      return representations.json(entry);
    case "yaml":
      return encodeValue(representation, representations.object(entry));
    case "protobuf":
      return envelopeOf(representations, entry);
  }
}

function sendView(
  context: Context,
  call: Call,
  code: number,
  chosen: Chosen,
  representations: Representations,
  entry: Entry,
): void | Promise<void> {
  const { view, viewVersion } = chosen.representation;
  const apiVersion = `${context.metaGroup}/${viewVersion}`;
  switch (view) {
    case "Table": {
      const include = readIncludeObject(call.info.query.get("includeObject"));
      const { resourceVersion } = entry.object().metadata;
      const head = tableHead(
        apiVersion,
        representations.kind,
        resourceVersion === undefined ? {} : { resourceVersion },
      );
      const table = { ...head, rows: [rowOf(apiVersion, representations, entry, include)] };
      return sendValue(context, call, code, chosen, table);
    }
    case "PartialObjectMetadata":
      return sendValue(context, call, code, chosen, partialOf(apiVersion, representations, entry));
    case "PartialObjectMetadataList":
    case "":
      throw notOffered(["PartialObjectMetadata"], undefined);
  }
}
