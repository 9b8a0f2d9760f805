/** Keeps the response to a request whose audit record includes the response object. */

import { decodeEnvelope } from "../machinery/codec/envelope.ts";
import { decodeYaml } from "../machinery/codec/yaml.ts";
import type { Call } from "./call.ts";
import type { Context } from "./context.ts";
import type { Exchange, ResponseHeaders } from "./contract/exchange.ts";

/** Audit events leave out larger answers. */
export const capturedBytesMax = 16 * 1024 * 1024;

/** The same exchange, which also copies what it sends; the record gets the copy when the answer ends. */
export function captureAnswer(context: Context, call: Call): Exchange {
  const { exchange, audit } = call;
  let type = "";
  let chunks: Buffer[] = [];
  let bytes = 0;
  const take = (chunk: Buffer | string | undefined) => {
    if (chunk === undefined) return;
    bytes += chunk.length;
    if (bytes > capturedBytesMax) chunks = [];
    else chunks.push(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
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
  return new Proxy(exchange, {
    get(target, key) {
      if (Object.hasOwn(heard, key)) return heard[key as keyof Exchange];
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** The object as JSON on one line; undefined: it is not an API object. */
function asJson({ catalog, vocabulary }: Context, type: string, body: Buffer): string | undefined {
  try {
    const value = type.startsWith(vocabulary.protobufMediaType) ? fromProtobuf(catalog, body) : fromText(type, body);
    return typeof value === "object" && value !== null && "kind" in value ? JSON.stringify(value) : undefined;
  } catch {
    return undefined; // text for people, or a form that has no JSON
  }
}

function fromText(type: string, body: Buffer): unknown {
  if (type.startsWith("application/json")) return JSON.parse(body.toString("utf8"));
  return type.startsWith("application/yaml") ? decodeYaml(body) : undefined;
}

function fromProtobuf(catalog: Context["catalog"], body: Buffer): unknown {
  const { apiVersion, kind, raw } = decodeEnvelope(body);
  const [version = "", group = ""] = apiVersion.split("/").reverse();
  const value = catalog.byKind(group, version, kind)?.codec.protobuf?.decode(raw);
  return value === undefined ? undefined : { kind, apiVersion, ...(value as object) };
}
