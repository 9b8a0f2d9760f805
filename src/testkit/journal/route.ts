/**
 * /journal: what clients have asked of a server, for `ctl journal` and tests in other languages.
 *
 *   GET /journal                                the requests that were answered, in that order; a watch is there from its beginning
 *   GET /journal?user=robot&verb=create         those that match; also resource, subresource, namespace and name
 *   GET /journal?after=12                       those that came after the one with this number
 *   DELETE /journal                             forgets them
 */

import type { Exchange } from "../../http/contract/exchange.ts";
import type { Route } from "../../http/contract/routes.ts";
import { badRequest, methodNotAllowed } from "../../machinery/status/status.ts";
import type { Journal, JournalQuery } from "./contract.ts";

export const journalPath = "/journal";
/** How many requests one answer has; the next one begins after their last. */
export const answeredRequestsMax = 1_000;

const subject = { group: "", kind: "Journal", resource: "journal" };
const words = ["user", "verb", "resource", "subresource", "namespace", "name"] as const;

export function createJournalRoute(journal: Journal): Route {
  return {
    path: journalPath,
    listed: false,
    handle(exchange) {
      if (exchange.method === "DELETE") {
        journal.clear();
        return send(exchange, {});
      }
      if (exchange.method !== "GET") throw methodNotAllowed(subject, exchange.method);
      const { after, ...query } = readQuery(exchange.target);
      const requests = journal
        .requests(query)
        .filter(({ number }) => number > after)
        .sort((a, b) => a.number - b.number)
        .slice(0, answeredRequestsMax);
      send(exchange, { requests });
    },
  };
}

function readQuery(target: string): JournalQuery & { readonly after: number } {
  const given = new URL(target, "http://server").searchParams;
  for (const name of given.keys())
    if (name !== "after" && !words.some((word) => word === name))
      throw badRequest(`${name}: must be one of after, ${words.join(", ")}`);
  const after = given.get("after") ?? "0";
  if (!/^\d{1,15}$/.test(after)) throw badRequest(`after: must be the number of a request, not "${after}"`);
  const texts = words.flatMap((word) => {
    const value = given.get(word);
    return value === null ? [] : [[word, value] as const];
  });
  return { ...Object.fromEntries(texts), after: Number(after) };
}

function send(exchange: Exchange, body: unknown): void {
  const headers = { "content-type": "application/json", "cache-control": "no-store" };
  exchange.send(200, headers, `${JSON.stringify(body)}\n`);
}
