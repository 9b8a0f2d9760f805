/** Sends answers that are not stored objects: values, Status objects and plain text. */

import type { ProtobufForm } from "../../machinery/schema/codec.ts";
import type { Status } from "../../machinery/status/status.ts";
import type { ResponseHeaders } from "../contract/exchange.ts";
import type { Chosen } from "../negotiation/choose.ts";
import { encodeValue, type TypedValue } from "../negotiation/encode-value.ts";
import { plainJson } from "../negotiation/media.ts";
import type { Call } from "../request/call.ts";
import type { ServerContext } from "../server/context.ts";
import { type Answer, answerHeaders, Reply, replyOfType } from "./reply.ts";

/** Sends a value that is not stored: a Status, a list of resources, the answer of an action. */
export function sendValue(reply: Reply, value: TypedValue, form?: Pick<ProtobufForm, "encode">): Answer {
  const { encoding } = reply.chosen.representation;
  return reply.send(encodeValue({ encoding, pretty: reply.pretty }, value, form));
}

/** As the reference does: what could not be negotiated is indented. */
const asJson: Chosen = { representation: { ...plainJson, pretty: true }, type: "application/json" };

/** Sends a Status in the encoding that the client requested, or in indented JSON if that encoding is not available. */
export function sendStatus(context: ServerContext, call: Call, code: number, status: Status): void {
  call.answered = status;
  let chosen = asJson;
  try {
    chosen = context.plainNegotiator.choose(call.exchange.header("accept"));
  } catch {
    // The original error matters more than its encoding.
  }
  const reply = new Reply(context, call, chosen);
  const headers = reply.headers();
  const retryAfter = status.details?.retryAfterSeconds;
  if (retryAfter !== undefined && retryAfter > 0) headers["retry-after"] = retryAfter;
  if (code === 403) headers["x-content-type-options"] = "nosniff";
  const { encoding } = chosen.representation;
  call.exchange.send(code, headers, encodeValue({ encoding, pretty: reply.pretty }, status));
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

export function sendJson(context: ServerContext, call: Call, code: number, value: unknown): Answer {
  const reply = replyOfType(context, call, "application/json");
  reply.code = code;
  return reply.send(reply.pretty ? JSON.stringify(value, null, 2) : JSON.stringify(value));
}
