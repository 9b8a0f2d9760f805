/** What made a program write: a header that the history of a server repeats, and that other servers ignore. */

import type { Fetch } from "../contract.ts";

const causeHeader = "orch-cause";

/** Writes say what caused them, where that is known: "replicaset shop/web". */
export function withCause(fetch: Fetch, causeNow: () => string | undefined): Fetch {
  return (path, init) => {
    const cause = (init?.method ?? "GET") === "GET" ? undefined : causeNow();
    // A header cannot say anything else.
    if (cause === undefined || !/^[\x20-\x7e]+$/.test(cause)) return fetch(path, init);
    return fetch(path, { ...init, headers: { ...plainHeaders(init?.headers), [causeHeader]: cause } });
  };
}

/** Ours are a plain object already: Headers would check and sort every name of every request. */
function plainHeaders(given: RequestInit["headers"]): Record<string, string> {
  if (given === undefined) return {};
  const isPlain = !(Symbol.iterator in given);
  return isPlain ? (given as Record<string, string>) : Object.fromEntries(new Headers(given).entries());
}
