/** Sends one kept object in the representation its reader asked for. */

import { inTurns, turnsFor } from "../base/turns.ts";
import { encodeYamlSteps } from "../machinery/codec/yaml-steps.ts";
import type { BoundKind } from "../machinery/schema/catalog.ts";
import type { Entry } from "../registry/contract/entry.ts";
import type { Call } from "./call.ts";
import type { Context } from "./context.ts";
import type { Chosen } from "./negotiation/choose.ts";
import { notOffered } from "./negotiation/choose.ts";
import { encodeValue, prettyJson } from "./negotiation/encode-value.ts";
import { envelopeOf, jsonOf, objectOf } from "./negotiation/entry-forms.ts";
import { wantsPretty } from "./negotiation/pretty.ts";
import { partialOf, readIncludeObject, rowOf, tableHead } from "./negotiation/views.ts";
import { sendBody, sendValue } from "./respond.ts";

export function sendEntry(
  context: Context,
  call: Call,
  code: number,
  chosen: Chosen,
  kind: BoundKind,
  entry: Entry,
): void | Promise<void> {
  const { representation, type } = chosen;
  if (representation.view !== "") return sendView(context, call, code, chosen, kind, entry);
  const turns = representation.encoding === "yaml" ? turnsFor(entry.bytes.length) : undefined;
  if (turns !== undefined) {
    const printed = inTurns(encodeYamlSteps(objectOf(entry, kind)), turns);
    return printed.then((text) => sendBody(context, call, code, type, text));
  }
  return sendBody(context, call, code, type, encodeEntry(call, chosen, kind, entry));
}

function encodeEntry(call: Call, { representation }: Chosen, kind: BoundKind, entry: Entry): Buffer | string {
  switch (representation.encoding) {
    case "json":
      if (representation.pretty || wantsPretty(call.exchange, call.info.query))
        return prettyJson(objectOf(entry, kind));
      return jsonOf(entry, kind);
    case "yaml":
      return encodeValue(representation, objectOf(entry, kind));
    case "protobuf":
      return envelopeOf(entry, kind);
  }
}

function sendView(
  context: Context,
  call: Call,
  code: number,
  chosen: Chosen,
  kind: BoundKind,
  entry: Entry,
): void | Promise<void> {
  const { view, viewVersion } = chosen.representation;
  const apiVersion = `${context.metaGroup}/${viewVersion}`;
  switch (view) {
    case "Table": {
      const include = readIncludeObject(call.info.query.get("includeObject"));
      const { resourceVersion } = entry.object().metadata;
      const head = tableHead(apiVersion, kind, resourceVersion === undefined ? {} : { resourceVersion });
      const table = { ...head, rows: [rowOf(apiVersion, kind, entry, include)] };
      return sendValue(context, call, code, chosen, table);
    }
    case "PartialObjectMetadata":
      return sendValue(context, call, code, chosen, partialOf(apiVersion, entry));
    case "PartialObjectMetadataList":
    case "":
      throw notOffered(["PartialObjectMetadata"], undefined);
  }
}
