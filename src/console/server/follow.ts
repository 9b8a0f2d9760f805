/** Follows what a request lists: the list, then its changes by watch, and again from the start when that was interrupted. */

import { silentLog } from "../../base/log.ts";
import type { DiscoveredResource } from "../../client/contract.ts";
import { reflect } from "../../client/informer/reflector.ts";
import type { RequestQuery } from "../../client/requests/address.ts";
import { listWatchOfAnswers } from "../../client/requests/list-watch-of-answers.ts";
import { StatusError } from "../../machinery/status/status.ts";
import { browserClock, type Connection } from "./connection.ts";
import type { Json } from "./json.ts";

interface Followed {
  readonly resource: DiscoveredResource;
  /** "": all. */
  readonly namespace: string;
  readonly query: RequestQuery;
  readonly accept: string;
  readonly signal: AbortSignal;
}

interface Follower {
  /** A chunk of the list; `isFirst`: a new list begins. */
  listed(list: Json, isFirst: boolean): void;
  /** The list is complete: what was known before and is not in it is gone. `isWatched`: a watch begins. */
  complete(isWatched: boolean): void;
  changed(type: string, object: Json): void;
  /** Holds until the next list. `isFinal`: it is not tried again, because the server refuses the user. */
  failed(error: Error, isFinal: boolean): void;
}

const chunkRows = 1_000;
/** A page that shows more would need more memory than people have patience. */
const listedRowsMax = 50_000;

/** Resolves when the signal aborts, when the server refuses the user, or when there is nothing to watch. */
export async function follow(connection: Connection, followed: Followed, follower: Follower): Promise<void> {
  const { resource: address, namespace, query, accept } = followed;
  // Some virtual kinds can only be listed, and the past does not change.
  const isWatched = connection.at === "" && address.verbs.includes("watch");
  const refused = new AbortController();
  let isFirst = true;
  const fail = (error: unknown) => {
    const isFinal = isRefusal(error);
    follower.failed(error instanceof Error ? error : new Error(String(error)), isFinal);
    if (isFinal) refused.abort();
  };
  await reflect({
    listWatch: listWatchOfAnswers({
      send: connection.send,
      address,
      namespace,
      query,
      accept,
      pageItems: chunkRows,
      itemsMax: listedRowsMax,
    }),
    selection: {},
    receiver: {
      restarted() {
        isFirst = true;
      },
      part(pages) {
        for (const page of pages) {
          follower.listed(page.object(), isFirst);
          isFirst = false;
        }
      },
      listed: () => follower.complete(isWatched),
      changed: (type, held) => follower.changed(type, held.object()),
      failed: fail,
      refused: fail,
    },
    isShown: true,
    isOnce: !isWatched,
    clock: browserClock,
    log: silentLog,
    random: Math.random,
    signal: AbortSignal.any([followed.signal, refused.signal]),
  });
}

/** Trying again does not help; but a history that is gone or too many requests do not concern the user. */
const isRefusal = (error: unknown): boolean =>
  error instanceof StatusError && error.code >= 400 && error.code < 500 && error.code !== 410 && error.code !== 429;
