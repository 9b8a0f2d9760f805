/** What made a program write: a header that the history of a server repeats, and that other servers ignore. */

import type { Fetch } from "../contract.ts";

const causeHeader = "orch-cause";

/** The headers of a write that says its cause. A header cannot say what is not ASCII. */
export const causeHeaders = (cause: string | undefined): Readonly<Record<string, string>> | undefined =>
  cause === undefined || !/^[\x20-\x7e]+$/.test(cause) ? undefined : { [causeHeader]: cause };

/** Writes say what caused them, where that is known: "replicaset shop/web". */
export function withCause(fetch: Fetch, causeNow: () => string | undefined): Fetch {
  return (path, init) => {
    const said = (init?.method ?? "GET") === "GET" ? undefined : causeHeaders(causeNow());
    return fetch(path, said === undefined ? init : { ...init, headers: { ...plainHeaders(init?.headers), ...said } });
  };
}

/** Ours are a plain object already: Headers would check and sort every name of every request. */
function plainHeaders(given: RequestInit["headers"]): Record<string, string> {
  if (given === undefined) return {};
  const isPlain = !(Symbol.iterator in given);
  return isPlain ? (given as Record<string, string>) : Object.fromEntries(new Headers(given).entries());
}
