/** Keeps the response to a request whose audit record includes the response object. */

import { decodeYaml } from "../../machinery/codec/yaml.ts";
import { encodeJson } from "../../machinery/json/json.ts";
import { type AnswerBody, type Exchange, type ResponseHeaders, wholeBody } from "../contract/exchange.ts";
import { overrideExchange } from "../contract/override-exchange.ts";
import type { Call } from "../request/call.ts";
import type { ServerContext } from "../server/context.ts";
import { valueOfProtobuf } from "./protobuf-value.ts";

/** Audit events omit larger answers. */
export const capturedBytesMax = 16 * 1024 * 1024;

/** The exchange also copies what it sends; the record gets the copy when the answer ends. */
export function captureAnswer(context: ServerContext, call: Call): Exchange {
  const { exchange, audit } = call;
  let type = "";
  let chunks: Buffer[] = [];
  let bytes = 0;
  const take = (content: AnswerBody | undefined) => {
    if (content === undefined) return;
    bytes += content.length;
    if (bytes > capturedBytesMax) {
      chunks = [];
      return;
    }
    const chunk = wholeBody(content);
    chunks.push(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
  };
  const begin = (headers: ResponseHeaders) => {
    type = String(headers["content-type"] ?? "");
  };
  const finish = () => {
    if (bytes === 0 || bytes > capturedBytesMax) return;
    const json = asJson(context, type, Buffer.concat(chunks));
    chunks = [];
    if (json !== undefined) audit?.responseObject(json);
  };
  const heard: Partial<Exchange> = {
    send(status, headers, body) {
      if (exchange.responded) return;
      begin(headers);
      take(body);
      finish();
      exchange.send(status, headers, body);
    },
    respond(status, headers) {
      begin(headers);
      exchange.respond(status, headers);
    },
    write(chunk) {
      take(chunk);
      return exchange.write(chunk);
    },
    end() {
      finish();
      exchange.end();
    },
  };
  return overrideExchange(exchange, heard);
}

/** The object as JSON on one line; undefined: it is not an API object. */
function asJson({ catalog, vocabulary }: ServerContext, type: string, body: Buffer): string | undefined {
  try {
    if (type.startsWith("application/json")) return oneLine(body.toString("utf8"));
    if (type.startsWith(vocabulary.protobufMediaType)) return objectJson(valueOfProtobuf(catalog, body));
    return type.startsWith("application/yaml") ? objectJson(decodeYaml(body)) : undefined;
  } catch {
    return undefined; // text for people, or a form that has no JSON
  }
}

/** The text itself where it is one line: printing its value again would round integers of more than 53 bits. */
function oneLine(text: string): string | undefined {
  const value: unknown = JSON.parse(text); // an aggregated server may have sent anything
  const line = text.trimEnd();
  if (line.includes("\n")) return objectJson(value);
  return isTyped(value) ? line : undefined;
}

const objectJson = (value: unknown): string | undefined => (isTyped(value) ? encodeJson(value) : undefined);

const isTyped = (value: unknown): boolean => typeof value === "object" && value !== null && "kind" in value;
