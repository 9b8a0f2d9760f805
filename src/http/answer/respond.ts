/** Sends answers: the headers that all of them have, whole bodies, Status objects and plain text. */

import { gzip } from "node:zlib";
import type { ProtobufForm } from "../../machinery/schema/codec.ts";
import type { Status } from "../../machinery/status/status.ts";
import type { ResponseHeaders } from "../contract/exchange.ts";
import type { Chosen } from "../negotiation/choose.ts";
import { encodeValue, type TypedValue, wantsPretty } from "../negotiation/encode-value.ts";
import { plainJson } from "../negotiation/media.ts";
import type { Call } from "../request/call.ts";
import type { Context } from "../server/context.ts";
import { warningHeader } from "./warnings.ts";

/** What a handler returns: nothing, or a promise if it has to wait. */
export type Answer = void | Promise<void>;

export function answerHeaders(call: Call, type: string): Record<string, string | number | readonly string[]> {
  const headers: Record<string, string | number | readonly string[]> = {
    "audit-id": call.auditId,
    // Answers depend on the user.
    "cache-control": "no-cache, private",
    "content-type": type,
  };
  if (call.warnings !== undefined) headers["warning"] = warningHeader(call.warnings);
  return headers;
}

/** Sends a whole answer. Large ones are compressed outside the event loop for clients that accept it. */
export function sendBody(
  context: Context,
  call: Call,
  code: number,
  type: string,
  body: Buffer | string,
  more?: ResponseHeaders,
): void | Promise<void> {
  const headers = more === undefined ? answerHeaders(call, type) : { ...answerHeaders(call, type), ...more };
  if (body.length > context.limits.compressAboveBytes && acceptsGzip(call)) {
    return compress(body).then((compressed) => call.exchange.send(code, gzipped(headers), compressed));
  }
  call.exchange.send(code, headers, body);
}

export function acceptsGzip(call: Call): boolean {
  if (call.audit?.wantsResponse) return false; // the audit record needs the plain bytes
  const accepted = call.exchange.header("accept-encoding");
  if (accepted === undefined) return false;
  return accepted.split(",").some((part) => /^\s*gzip\s*(?:;\s*q=(?:1|0?\.[0-9]*[1-9])[0-9.]*\s*)?$/.test(part));
}

export function gzipped(headers: ResponseHeaders): ResponseHeaders {
  return { ...headers, "content-encoding": "gzip", vary: "accept-encoding" };
}

/** Speed matters more than the last few percent of compression. */
export const gzipLevel = 1;

function compress(body: Buffer | string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    gzip(body, { level: gzipLevel }, (error, result) => (error ? reject(error) : resolve(result)));
  });
}

/** Sends a value that is not stored: a Status, a list of resources, the answer of an action. */
export function sendValue(
  context: Context,
  call: Call,
  code: number,
  chosen: Chosen,
  value: TypedValue,
  form?: ProtobufForm,
): void | Promise<void> {
  const { representation } = chosen;
  const pretty = representation.pretty || wantsPretty(call.exchange, call.info.query);
  const body = encodeValue({ ...representation, pretty }, value, form);
  return sendBody(context, call, code, chosen.type, body);
}

const asJson: Chosen = { representation: plainJson, type: "application/json" };

/** Sends a Status in the encoding that the client requested, or in JSON if that encoding is not available. */
export function sendStatus(context: Context, call: Call, code: number, status: Status): void {
  call.answered = status;
  const { exchange } = call;
  let chosen = asJson;
  try {
    chosen = context.plainNegotiator.choose(exchange.header("accept"));
  } catch {
    // The original error matters more than its encoding.
  }
  const { representation } = chosen;
  const pretty = representation.pretty || wantsPretty(exchange, call.info.query);
  const headers = answerHeaders(call, chosen.type);
  const retryAfter = status.details?.retryAfterSeconds;
  if (retryAfter !== undefined && retryAfter > 0) headers["retry-after"] = retryAfter;
  if (code === 403) headers["x-content-type-options"] = "nosniff";
  exchange.send(code, headers, encodeValue({ ...representation, pretty }, status));
}

export function sendText(call: Call, code: number, text: string, more?: ResponseHeaders): void {
  const headers = { ...answerHeaders(call, "text/plain; charset=utf-8"), ...more };
  headers["x-content-type-options"] = "nosniff";
  call.exchange.send(code, headers, text);
}

/** Sends the answer to a successful request that has no content. */
export function sendNothing(call: Call): void {
  const { "content-type": _type, ...headers } = answerHeaders(call, "");
  call.exchange.send(204, headers);
}

export function sendJson(context: Context, call: Call, code: number, value: unknown): void | Promise<void> {
  const text = wantsPretty(call.exchange, call.info.query) ? JSON.stringify(value, null, 2) : JSON.stringify(value);
  return sendBody(context, call, code, "application/json", text);
}
