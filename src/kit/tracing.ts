/** How a client, and the controllers that use it, tell a trace where they are in it. */

import type { Tracing } from "../base/tracing.ts";
import type { Fetch } from "../client/contract.ts";
import { entriesOf } from "./in-process-fetch.ts";

/** The member of a client that its user does not see. */
export const tracingOf: unique symbol = Symbol.for("orch.tracing");

export interface Traced {
  /** Absent: nothing is traced. */
  readonly [tracingOf]?: object | undefined;
}

export const tracingIn = (client: Traced) => client[tracingOf] as Tracing | undefined; // only connect sets it

/** Requests carry what they are a part of. */
export const tracedFetch =
  (fetch: Fetch, tracing: Tracing): Fetch =>
  (path, init) => {
    const headers = Object.entries(tracing.headers());
    return fetch(path, headers.length === 0 ? init : { ...init, headers: [...entriesOf(init?.headers), ...headers] });
  };
