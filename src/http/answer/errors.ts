/** Turns a thrown value into an answer. Every error that is not meant for clients becomes a plain 500. */

import { internalError, StatusError } from "../../machinery/status/status.ts";
import type { Call } from "../request/call.ts";
import type { ServerContext } from "../server/context.ts";
import { sendStatus, sendText } from "./respond.ts";
import { spokenRefusal } from "./vocabulary-hint.ts";

/** Status codes whose message may repeat what the client sent, which must not be logged. */
const quotesBody: ReadonlySet<number> = new Set([400, 406, 409, 415, 422]);

/** The server has no capacity for the request at the moment. Answered in plain text, as in v1.21. */
export class Overloaded extends Error {
  constructor() {
    super("Too many requests, please try again later.");
  }
}
const retryAfterSeconds = 1;

export function answerError(context: ServerContext, call: Call, error: unknown): void {
  const { exchange } = call;
  // The request was cancelled because its client no longer waits for it.
  if (call.gone && error instanceof Error && error.name === "AbortError") return;
  if (error instanceof Overloaded) {
    call.refusal = error.message;
    if (!call.gone) sendText(call, 429, `${error.message}\n`, { "retry-after": retryAfterSeconds });
    return;
  }
  const status = error instanceof StatusError ? spokenRefusal(context, call, error) : reportBug(context, call, error);
  call.refusal = quotesBody.has(status.code) ? status.reason : status.message;
  if (call.gone) return;
  // Part of the answer has been sent: only a broken connection can show that it is incomplete.
  if (exchange.responded) {
    exchange.destroy();
    return;
  }
  try {
    sendStatus(context, call, status.code, status.toStatus());
  } catch (cause) {
    context.log.error("an error response could not be sent", { cause, auditId: call.auditId });
    exchange.destroy();
  }
}

/** The cause goes to the log; the client gets the id of the log entry. */
function reportBug({ log }: ServerContext, call: Call, cause: unknown): StatusError {
  const { verb, path } = call.info;
  log.error("request failed", { cause, verb, path, auditId: call.auditId });
  return internalError(`see the log of the server, request ${call.auditId}`, cause);
}

/** For read-only paths. HEAD is refused too, as in v1.21. */
export function requireGet(call: Call): void {
  if (call.exchange.method !== "GET") throw methodNotHere();
}

/** For a method that a path does not support. As in v1.21, the answer does not list the supported methods. */
export function methodNotHere(): StatusError {
  return new StatusError("MethodNotAllowed", "the server does not allow this method on the requested resource", {
    details: {},
  });
}
