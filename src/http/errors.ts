/** Turns whatever was thrown into an answer. Everything that is not meant for clients becomes one plain 500. */

import { internalError, StatusError } from "../machinery/status/status.ts";
import type { Call } from "./call.ts";
import type { Context } from "./context.ts";
import { sendStatus } from "./respond.ts";

/** Refusals whose message may repeat what was sent, which belongs into no log. */
const quotesBody: ReadonlySet<number> = new Set([400, 409, 415, 422]);

export function answerError(context: Context, call: Call, error: unknown): void {
  const { exchange } = call;
  // Whatever waited for something was called off because nobody waits for it.
  if (call.gone && error instanceof Error && error.name === "AbortError") return;
  const status = error instanceof StatusError ? error : reportBug(context, call, error);
  call.refusal = quotesBody.has(status.code) ? status.reason : status.message;
  if (call.gone) return;
  // Half an answer has gone out: only a broken connection can say that it is not whole.
  if (exchange.responded) {
    exchange.destroy();
    return;
  }
  try {
    sendStatus(context, call, status.code, status.toStatus());
  } catch (cause) {
    context.log.error("a refusal could not be sent", { cause, auditId: call.auditId });
    exchange.destroy();
  }
}

/** What went wrong is for the log; the client gets the id under which it is found there. */
function reportBug({ log }: Context, call: Call, cause: unknown): StatusError {
  const { verb, path } = call.info;
  log.error("request failed", { cause, verb, path, auditId: call.auditId });
  return internalError(`see the log of the server, request ${call.auditId}`, cause);
}

/** For paths that can only be looked at. HEAD is refused too, as in v1.21. */
export function requireGet(call: Call): void {
  if (call.exchange.method !== "GET") throw methodNotHere();
}

/** For a method that a path does not have. As v1.21 it does not say which methods there are. */
export function methodNotHere(): StatusError {
  return new StatusError("MethodNotAllowed", "the server does not allow this method on the requested resource", {
    details: {},
  });
}
