/** A fetch that fails as networks and servers do, to test how controllers react. */

import type { Fetch, FetchResponse } from "../client/contract.ts";

export interface FaultOptions {
  /** From 0 up to 1; a seeded one repeats a run. */
  readonly random: () => number;
  /** How many of a hundred requests fail, and how many of a hundred watch events end their watch. */
  readonly percent: number;
}

const refusals = [
  { code: 409, reason: "Conflict" },
  { code: 429, reason: "TooManyRequests" },
  { code: 500, reason: "InternalError" },
  { code: 503, reason: "ServiceUnavailable" },
];

/** Adds faults to a fetch: refusals, requests that never arrive, answers that are lost, watches that break off. */
export function withFaults(fetch: Fetch, { random, percent }: FaultOptions): Fetch {
  const strikes = () => random() * 100 < percent;
  return async (path, init) => {
    if (path.includes("watch=true")) return breakingOff(await fetch(path, init), strikes);
    if (!strikes()) return await fetch(path, init);
    const kind = Math.floor(random() * (refusals.length + 2));
    const refusal = refusals[kind];
    if (refusal !== undefined) return refuse(refusal);
    // The last two: the request is lost, or it is carried out and the answer is lost.
    if (kind === refusals.length + 1) await fetch(path, init);
    throw new TypeError("fetch failed");
  };
}

function refuse({ code, reason }: { readonly code: number; readonly reason: string }): Response {
  const status = {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: "a fault",
    reason,
    code,
  };
  // Retries happen at once: a test should not wait.
  const headers = code === 429 ? { "retry-after": "0" } : undefined;
  return Response.json(status, { status: code, ...(headers === undefined ? {} : { headers }) });
}

function breakingOff(response: FetchResponse, strikes: () => boolean): FetchResponse {
  if (response.body === null) return response;
  const breaking = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      if (strikes()) controller.terminate();
      else controller.enqueue(chunk);
    },
  });
  return new Response(response.body.pipeThrough(breaking), { status: response.status });
}
