/** A value in one of the encodings; JSON is indented where a person reads it. */

import { encodeEnvelope } from "../../machinery/codec/envelope.ts";
import { metaSchemas } from "../../machinery/codec/meta-types.ts";
import { encodeProtobuf } from "../../machinery/codec/protobuf.ts";
import { encodeYaml } from "../../machinery/codec/yaml-print.ts";
import { encodeJson } from "../../machinery/json/json.ts";
import type { ProtobufForm } from "../../machinery/schema/codec.ts";
import type { Exchange } from "../contract/exchange.ts";
import type { Query } from "../request/query.ts";
import type { Representation } from "./media.ts";

/** A value with its kind and apiVersion, except where old clients expect none (discovery of the first groups). */
export interface TypedValue {
  readonly kind?: string;
  readonly apiVersion?: string;
}

/** `form` is needed for the protobuf of all types but the API's own that are the same at every level (Status and similar ones). */
export function encodeValue(
  { encoding, pretty }: Pick<Representation, "encoding" | "pretty">,
  value: TypedValue,
  form?: Pick<ProtobufForm, "encode">,
): Buffer | string {
  switch (encoding) {
    case "json":
      return pretty ? prettyJson(value) : encodeJson(value);
    case "yaml":
      return encodeYaml(value);
    case "protobuf": {
      const { kind = "", apiVersion = "" } = value;
      const object = value as Record<string, unknown>; // true of every object
      const schema = metaSchemas.get(kind);
      const message = schema === undefined ? form?.encode(object) : encodeProtobuf(schema, object);
      if (message === undefined) throw new Error(`${apiVersion} ${kind} has no protobuf form`);
      return encodeEnvelope(apiVersion, kind, message);
    }
  }
}

export function prettyJson(value: unknown): string {
  try {
    return JSON.stringify(value, null, 2);
  } catch {
    // An integer beyond 2^53: exact output matters more than indentation.
    return encodeJson(value);
  }
}

const readByPeople = ["curl", "Wget", "Mozilla/5.0"];

/** Whether a person reads the answer. The query decides if it has the parameter; otherwise the user agent of browsers and download tools does. */
export function wantsPretty(exchange: Exchange, query: Query): boolean {
  const asked = query.empty ? undefined : query.get("pretty");
  if (asked !== undefined && asked !== "") return isTrue(asked);
  const agent = exchange.header("user-agent");
  return agent !== undefined && readByPeople.some((prefix) => agent.startsWith(prefix));
}

function isTrue(text: string): boolean {
  return text === "1" || text === "t" || text === "T" || text === "true" || text === "True" || text === "TRUE";
}
