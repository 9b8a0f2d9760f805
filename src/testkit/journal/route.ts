/**
 * /journal: what clients have asked of a server, for `ctl journal` and tests in other languages.
 *
 *   GET /journal                                the requests that were answered, in that order; a watch is there from its beginning
 *   GET /journal?user=robot&verb=create         those that match; also resource, subresource, namespace and name
 *   GET /journal?after=12                       those that came after the one with this number
 *   GET /journal?follow=true                    those so far, and then each that is answered, one JSON object a line
 *   DELETE /journal                             forgets them
 */

import type { Exchange } from "../../http/contract/exchange.ts";
import type { Route } from "../../http/contract/routes.ts";
import { badRequest, methodNotAllowed } from "../../machinery/status/status.ts";
import type { JournalEntry, JournalQuery } from "./contract.ts";
import type { OpenJournal } from "./journal.ts";

export const journalPath = "/journal";
/** How many requests one answer has; the next one begins after their last. */
export const answeredRequestsMax = 1_000;

/** How many requests may wait for a client that follows the journal. */
export const followedRequestsMax = 1_000;
/** How many are written at once. */
const chunkRequests = 100;

const subject = { group: "", kind: "Journal", resource: "journal" };
const words = ["user", "verb", "resource", "subresource", "namespace", "name"] as const;

export function createJournalRoute(journal: OpenJournal): Route {
  return {
    path: journalPath,
    handle(exchange, _, ending) {
      if (exchange.method === "DELETE") {
        journal.clear();
        return send(exchange, {});
      }
      if (exchange.method !== "GET") throw methodNotAllowed(subject, exchange.method);
      const { after, isFollowed, ...query } = readQuery(exchange.target);
      const requests = journal
        .requests(query)
        .filter(({ number }) => number > after)
        .sort((a, b) => a.number - b.number);
      if (!isFollowed) return send(exchange, { requests: requests.slice(0, answeredRequestsMax) });
      return follow(exchange, { requests, ending, listen: (heard) => journal.listen(query, heard) });
    },
  };
}

interface Followed {
  /** Those so far. */
  readonly requests: readonly JournalEntry[];
  readonly ending: AbortSignal;
  listen(heard: (entry: JournalEntry) => void): () => void;
}

/** Resolves when the client has gone, has fallen behind, or the server ends: the client may ask again, after the last that it has got. */
async function follow(exchange: Exchange, { requests, ending, listen }: Followed): Promise<void> {
  const waiting = [...requests];
  let wake = () => {};
  const stop = listen((entry) => {
    waiting.push(entry);
    wake();
  });
  const wakeUp = () => wake();
  exchange.onFinish(wakeUp);
  ending.addEventListener("abort", wakeUp);
  exchange.respond(200, { ...headers, "content-type": "application/x-ndjson" });
  let mostWaiting = waiting.length + followedRequestsMax;
  while (!exchange.gone && !ending.aborted && waiting.length <= mostWaiting) {
    const chunk = waiting.splice(0, chunkRequests);
    mostWaiting = Math.max(followedRequestsMax, mostWaiting - chunk.length);
    if (chunk.length === 0)
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    else if (!exchange.write(Buffer.from(chunk.map((entry) => `${JSON.stringify(entry)}\n`).join(""))))
      await exchange.drained();
  }
  ending.removeEventListener("abort", wakeUp);
  stop();
  exchange.end();
}

function readQuery(target: string): JournalQuery & { readonly after: number; readonly isFollowed: boolean } {
  const given = new URL(target, "http://server").searchParams;
  for (const name of given.keys())
    if (name !== "after" && name !== "follow" && !words.some((word) => word === name))
      throw badRequest(`${name}: must be one of after, follow, ${words.join(", ")}`);
  const after = given.get("after") ?? "0";
  if (!/^\d{1,15}$/.test(after)) throw badRequest(`after: must be the number of a request, not "${after}"`);
  const followed = given.get("follow") ?? "false";
  if (followed !== "true" && followed !== "false") throw badRequest(`follow: must be true or false, not "${followed}"`);
  const texts = words.flatMap((word) => {
    const value = given.get(word);
    return value === null ? [] : [[word, value] as const];
  });
  return { ...Object.fromEntries(texts), after: Number(after), isFollowed: followed === "true" };
}

const headers = { "content-type": "application/json", "cache-control": "no-store" };

function send(exchange: Exchange, body: unknown): void {
  exchange.send(200, headers, `${JSON.stringify(body)}\n`);
}
