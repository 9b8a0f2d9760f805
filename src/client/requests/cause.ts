/** What made a program write: a header that the history of a server repeats, and that other servers ignore. */

import type { Fetch } from "../contract.ts";

const causeHeader = "orch-cause";

/** Writes say what caused them, where that is known: "replicaset shop/web". */
export function withCause(fetch: Fetch, causeNow: () => string | undefined): Fetch {
  return (path, init) => {
    const cause = (init?.method ?? "GET") === "GET" ? undefined : causeNow();
    // A header cannot say anything else.
    if (cause === undefined || !/^[\x20-\x7e]+$/.test(cause)) return fetch(path, init);
    const headers = new Headers(init?.headers);
    headers.set(causeHeader, cause);
    return fetch(path, { ...init, headers });
  };
}
