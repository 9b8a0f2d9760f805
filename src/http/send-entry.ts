/** Sends one stored object in the representation that the client requested. */

import { inTimeSlices, timeSliceFor } from "../base/time-slice.ts";
import { encodeYamlSteps } from "../machinery/codec/yaml-steps.ts";
import type { BoundKind } from "../machinery/schema/catalog.ts";
import type { Entry } from "../registry/contract/entry.ts";
import type { Call } from "./call.ts";
import type { Context } from "./context.ts";
import { type Chosen, notOffered } from "./negotiation/choose.ts";
import { encodeValue, prettyJson, wantsPretty } from "./negotiation/encode-value.ts";
import { envelopeOf, type Forms, formsOf } from "./negotiation/entry-forms.ts";
import { partialOf, readIncludeObject, rowOf, tableHead } from "./negotiation/views.ts";
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
  const forms = formsOf(kind, [entry]);
  if (forms instanceof Promise) return forms.then((made) => sendForms(context, call, code, chosen, made, entry));
  return sendForms(context, call, code, chosen, forms, entry);
}

function sendForms(
  context: Context,
  call: Call,
  code: number,
  chosen: Chosen,
  forms: Forms,
  entry: Entry,
): void | Promise<void> {
  const { representation, type } = chosen;
  if (representation.view !== "") return sendView(context, call, code, chosen, forms, entry);
  const slice = representation.encoding === "json" ? undefined : timeSliceFor(entry.bytes.length);
  if (slice !== undefined && representation.encoding === "protobuf") {
    const encoded = inTimeSlices(forms.messageInSteps(entry), slice);
    return encoded.then(() => sendBody(context, call, code, type, envelopeOf(forms, entry)));
  }
  if (slice !== undefined) {
    const printed = inTimeSlices(encodeYamlSteps(forms.object(entry)), slice);
    return printed.then((text) => sendBody(context, call, code, type, text));
  }
  return sendBody(context, call, code, type, encodeEntry(call, chosen, forms, entry));
}

function encodeEntry(call: Call, { representation }: Chosen, forms: Forms, entry: Entry): Buffer | string {
  switch (representation.encoding) {
    case "json":
      if (representation.pretty || wantsPretty(call.exchange, call.info.query)) return prettyJson(forms.object(entry));
      return forms.json(entry);
    case "yaml":
      return encodeValue(representation, forms.object(entry));
    case "protobuf":
      return envelopeOf(forms, entry);
  }
}

function sendView(
  context: Context,
  call: Call,
  code: number,
  chosen: Chosen,
  forms: Forms,
  entry: Entry,
): void | Promise<void> {
  const { view, viewVersion } = chosen.representation;
  const apiVersion = `${context.metaGroup}/${viewVersion}`;
  switch (view) {
    case "Table": {
      const include = readIncludeObject(call.info.query.get("includeObject"));
      const { resourceVersion } = entry.object().metadata;
      const head = tableHead(apiVersion, forms.kind, resourceVersion === undefined ? {} : { resourceVersion });
      const table = { ...head, rows: [rowOf(apiVersion, forms, entry, include)] };
      return sendValue(context, call, code, chosen, table);
    }
    case "PartialObjectMetadata":
      return sendValue(context, call, code, chosen, partialOf(apiVersion, forms, entry));
    case "PartialObjectMetadataList":
    case "":
      throw notOffered(["PartialObjectMetadata"], undefined);
  }
}
