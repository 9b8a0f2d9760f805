/** The events of a watch, read from the lines of its answer. */

import { isObject } from "../../machinery/json/json-value.ts";
import { StatusError } from "../../machinery/status/status.ts";
import type { WatchEvent } from "../contract.ts";
import { BrokenLine, readLines } from "./frames.ts";
import { statusError, UnexpectedAnswer } from "./refusals.ts";
import type { JsonCodec, JsonRequest, Sender } from "./send.ts";

const types: ReadonlySet<unknown> = new Set<WatchEvent<unknown>["type"]>(["ADDED", "MODIFIED", "DELETED", "BOOKMARK"]);

/**
 * Events until the server ends the watch or the request's signal aborts; neither is an error. An ERROR event is a StatusError.
 * `path` has its whole query.
 */
export async function* watchEvents<T>(send: Sender, path: string, request: JsonRequest): AsyncGenerator<WatchEvent<T>> {
  let hasBegun = false;
  try {
    const { body } = await send.open(path, request);
    if (body === null) return;
    for await (const line of readLines(body)) {
      if (request.signal?.aborted) return;
      yield readEvent<T>(line, send.codec) ?? fail(path, line);
      hasBegun = true;
    }
  } catch (error) {
    if (request.signal?.aborted && !(error instanceof StatusError)) return;
    // A whole answer in one line that is no event comes from something else than a server that was interrupted.
    if (error instanceof BrokenLine && !hasBegun && !error.start.startsWith('{"type":')) fail(path, error.start);
    throw error;
  }
}

function readEvent<T>(text: string, codec: JsonCodec): WatchEvent<T> | undefined {
  let event: unknown;
  try {
    event = codec.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(event) || !isObject(event["object"])) return undefined;
  const { type, object }: { type?: unknown; object?: unknown } = event;
  if (type === "ERROR") throw statusError(event["object"]);
  if (!types.has(type)) return undefined;
  return { type: type as WatchEvent<T>["type"], object: object as T }; // the server sends objects of the kind that is watched
}

function fail(path: string, text: string): never {
  throw new UnexpectedAnswer(`GET ${path}`, "a watch event", text);
}
