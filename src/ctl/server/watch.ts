/** A watch of a command, which ends like any output when the server or the user ends it. */

import type { ResourceAddress, WatchEvent, WatchQuery } from "../../client/contract.ts";
import { collectionPath, withQuery } from "../../client/requests/address.ts";
import { UnexpectedAnswer } from "../../client/requests/refusals.ts";
import type { Sender } from "../../client/requests/send.ts";
import { watchEvents } from "../../client/requests/watch-events.ts";
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
  const path = withQuery(collectionPath(resource, namespace), { ...query, ...initial, watch: true });
  try {
    yield* withColumns(watchEvents<Json>(send, path, { ...(accept === undefined ? {} : { accept }), signal }));
  } catch (error) {
    if (!interrupted.aborted && !isBroken(error)) throw error;
  }
}

function isBroken(error: unknown): boolean {
  return (
    error instanceof Error &&
    !(error instanceof UnexpectedAnswer) &&
    /aborted|terminated|broke off|ECONNRESET|premature/i.test(`${error.name} ${error.message}`)
  );
}
