/** Follows what a request lists: the list, then its changes by watch, and again from the start when the watch cannot be continued. */

import { sleep } from "../../base/clock.ts";
import type { DiscoveredResource } from "../../client/contract.ts";
import { collectionPath, type RequestQuery, withQuery } from "../../client/requests/address.ts";
import { readLines } from "../../client/requests/frames.ts";
import { StatusError } from "../../machinery/status/status.ts";
import { browserClock, type Connection } from "./connection.ts";
import { isJson, type Json, part, parts, text } from "./json.ts";

export interface Followed {
  readonly resource: DiscoveredResource;
  /** "": all. */
  readonly namespace: string;
  readonly query: RequestQuery;
  readonly accept: string;
  readonly signal: AbortSignal;
}

export interface Follower {
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
export const listedRowsMax = 50_000;
const retryMs = 2_000;

/** Resolves when the signal aborts, or when the server refuses the user. */
export async function follow(connection: Connection, followed: Followed, follower: Follower): Promise<void> {
  const { signal } = followed;
  while (!signal.aborted) {
    try {
      const version = await list(connection, followed, follower);
      // Some virtual kinds can only be listed, and the past does not change.
      const isWatched = connection.at === "" && followed.resource.verbs.includes("watch");
      follower.complete(isWatched);
      if (!isWatched) return;
      await watch(connection, followed, version, follower);
    } catch (error) {
      if (signal.aborted) return;
      const failure = error instanceof Error ? error : new Error(String(error));
      // The history is gone: the next list is as good.
      if (failure instanceof StatusError && failure.code === 410) continue;
      const isFinal =
        failure instanceof StatusError && failure.code >= 400 && failure.code < 500 && failure.code !== 429;
      follower.failed(failure, isFinal);
      if (isFinal) return;
    }
    await sleep(browserClock, retryMs, signal).catch(() => undefined);
  }
}

async function list(connection: Connection, followed: Followed, follower: Follower): Promise<string> {
  const { resource, namespace, query, accept, signal } = followed;
  let token = "";
  for (let rows = 0; ; ) {
    const path = withQuery(collectionPath(resource, namespace), { ...query, limit: chunkRows, continue: token });
    const answer = await connection.send.json(path, { accept, signal });
    if (!isJson(answer)) throw new Error("the answer is not a list");
    follower.listed(answer, token === "");
    rows += Math.max(parts(answer, "rows").length, parts(answer, "items").length);
    token = text(answer, "metadata", "continue");
    if (token === "" || rows >= listedRowsMax) return text(answer, "metadata", "resourceVersion");
  }
}

/** Watches again from the last seen version each time the server ends one. */
async function watch(connection: Connection, followed: Followed, from: string, follower: Follower): Promise<void> {
  const { resource, namespace, query, accept, signal } = followed;
  let version = from;
  while (!signal.aborted) {
    const path = withQuery(collectionPath(resource, namespace), {
      ...query,
      watch: true,
      allowWatchBookmarks: true,
      resourceVersion: version,
    });
    const { body } = await connection.send.open(path, { accept, signal });
    if (body === null) return;
    for await (const line of readLines(body)) {
      const event: unknown = JSON.parse(line);
      const object = part(event, "object");
      if (text(event, "type") === "ERROR")
        throw new StatusError(undefined, text(object, "message"), { code: Number(object["code"]) || 500 });
      version = versionOf(object) || version;
      if (text(event, "type") !== "BOOKMARK") follower.changed(text(event, "type"), object);
    }
  }
}

/** The version of an object, or of the one row of a Table. */
const versionOf = (object: Json): string =>
  text(parts(object, "rows")[0], "object", "metadata", "resourceVersion") ||
  text(object, "metadata", "resourceVersion");
