/** The errors that a client gets when the store fails. */

import { KvError } from "../kv/contract.ts";
import { internalError, StatusError, serviceUnavailable, timeout, tooLarge } from "../machinery/status/status.ts";

const retryAfterSeconds = 1;

/** Rethrows an error of the store as a Status. The verbs handle conflicts and compacted revisions themselves. */
export function translateKvErrors(error: unknown): never {
  if (!(error instanceof KvError)) throw error;
  switch (error.code) {
    case "too-large":
      throw tooLarge("etcdserver: request is too large: the object is too large to be stored");
    case "outcome-unknown":
      throw new StatusError(
        "Timeout",
        "the connection to the store broke during the write: it may or may not have happened",
        { details: { retryAfterSeconds }, cause: error },
      );
    case "unavailable":
      throw new StatusError(
        "ServiceUnavailable",
        "the server is currently unable to handle the request: the store is not available at the moment",
        {
          details: { retryAfterSeconds },
          cause: error,
        },
      );
    case "closed":
      throw serviceUnavailable("the server is shutting down", error);
    case "unknown-revision":
      throw timeout("Too large resource version: it has not been reached", retryAfterSeconds);
    case "damaged":
      throw internalError(`the store is damaged: ${error.message}`, error);
    case "conflict":
    case "compacted":
      throw error;
  }
}

/** Whether a write that failed with `error` may still be in the store. */
export const mayHaveHappened = (error: unknown): boolean =>
  error instanceof StatusError && error.cause instanceof KvError && error.cause.code === "outcome-unknown";
