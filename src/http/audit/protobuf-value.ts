/** The JSON form of an answer that was sent in protobuf, for the audit record: events are always JSON. */

import { readEnvelope, readListMessage } from "../../machinery/codec/envelope.ts";
import { ListMetaStruct, metaSchemas, PartialObjectMetadataStruct } from "../../machinery/codec/meta-types.ts";
import { decodeProtobuf } from "../../machinery/codec/protobuf.ts";
import type { BoundKind, Catalog } from "../../machinery/schema/catalog.ts";
import { decodeObject } from "../../machinery/schema/decode.ts";
import type { Schema, StructSchema } from "../../machinery/schema/schema.ts";

/** Undefined: this server does not know the type. */
export function valueOfProtobuf(catalog: Catalog, body: Uint8Array): object | undefined {
  const { apiVersion, kind, raw } = readEnvelope(body);
  const [version = "", group = ""] = apiVersion.split("/").reverse();
  const own = metaSchemas.get(kind);
  if (own !== undefined) return { kind, apiVersion, ...plain(own, raw) };
  if (kind === partialKind) return { kind, apiVersion, ...partialOf(raw) };
  if (kind === partialListKind) return { kind, apiVersion, ...listOf(raw, partialOf) };
  const known = catalog.byKind(group, version, kind);
  if (known !== undefined) return objectOf(known, raw);
  const listed = catalog.ofGroupVersion(group, version).find(({ listKind }) => listKind === kind);
  return listed === undefined ? undefined : { kind, apiVersion, ...listOf(raw, (item) => objectOf(listed, item)) };
}

function objectOf({ codec }: BoundKind, message: Uint8Array): object {
  // Protobuf has every empty field; decoding omits those that JSON does not have.
  return codec.decode(codec.protobuf?.decode(message));
}

const partialKind = "PartialObjectMetadata";
const partialListKind = "PartialObjectMetadataList";
const partialOf = (message: Uint8Array) => plain(schemaOf(PartialObjectMetadataStruct), message);

function listOf(raw: Uint8Array, itemOf: (message: Uint8Array) => object): object {
  const { metadata, items } = readListMessage(raw);
  return {
    metadata: plain(schemaOf(ListMetaStruct), metadata),
    items: items.map((item) => {
      const { kind: _kind, apiVersion: _apiVersion, ...object } = itemOf(item) as Record<string, unknown>;
      return object;
    }),
  };
}

function plain(schema: StructSchema, message: Uint8Array): object {
  return decodeObject(schema, decodeProtobuf(schema, message));
}

const schemaOf = (field: { readonly schema: Schema }) => field.schema as StructSchema; // struct() makes struct schemas
