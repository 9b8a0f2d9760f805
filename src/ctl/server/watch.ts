/** A watch of a command, which ends like any output when the server or the user ends it. */

import type { ResourceAddress, WatchEvent, WatchQuery } from "../../client/contract.ts";
import { collectionPath, withQuery } from "../../client/requests/address.ts";
import { BrokenStream } from "../../client/requests/frames.ts";
import { asks, requireQuestions } from "../../client/requests/questions.ts";
import type { Sender } from "../../client/requests/send.ts";
import { watchEvents } from "../../client/requests/watch-events.ts";
import { isNetworkError } from "../errors.ts";
import type { Json } from "../json.ts";
import { withColumns } from "./whole-tables.ts";

/** `accept`: the representation of the objects. */
export type RepresentedWatch = WatchQuery & { readonly accept?: string };

/** Events until the server ends the watch, its connection breaks, or `interrupted` is aborted. */
export async function* watchUntilBroken(
  send: Sender,
  resource: ResourceAddress,
  { namespace, accept, signal, sendInitialEvents, bookmarks, ...query }: RepresentedWatch,
  interrupted: AbortSignal,
): AsyncGenerator<WatchEvent<Json>> {
  const initial = sendInitialEvents
    ? { sendInitialEvents, resourceVersionMatch: "NotOlderThan", allowWatchBookmarks: true }
    : { allowWatchBookmarks: bookmarks };
  const collection = collectionPath(resource, namespace);
  if (asks(query)) await requireQuestions(send, collection, signal);
  const path = withQuery(collection, { ...query, ...initial, watch: true });
  try {
    yield* withColumns(watchEvents<Json>(send, path, { ...(accept === undefined ? {} : { accept }), signal }));
  } catch (error) {
    if (!interrupted.aborted && !isBroken(error)) throw error;
  }
}

/** It broke off while it was read, or the connection was ended before the server answered. */
const isBroken = (error: unknown): boolean =>
  error instanceof BrokenStream ||
  (error instanceof Error && error.name === "AbortError") ||
  (isNetworkError(error) && error.code === "ECONNRESET");
