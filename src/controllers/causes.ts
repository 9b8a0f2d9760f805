/** What a controller works on while it writes: its writes say so, in their log and, to a server that keeps a history, in a header. */

import { AsyncLocalStorage } from "node:async_hooks";
import type { Fetch } from "../client/contract.ts";

interface Reconciled {
  readonly controller: string;
  readonly key: string;
}

/** Only set where it is used: it costs every promise some time. */
const reconciling = new AsyncLocalStorage<Reconciled>();

/** Runs the work on a key, which then is the cause of its writes. */
export function whileReconciling<T>(reconciled: Reconciled, work: () => Promise<T>): Promise<T> {
  return reconciling.run(reconciled, work);
}

/** The key that is being worked on; undefined: it is not known. */
export const reconciledKey = (): string | undefined => reconciling.getStore()?.key;

/** The header that the history of a server repeats; others ignore it. */
const causeHeader = "orch-cause";

/** Writes within `whileReconciling` say what caused them. */
export function withCauses(fetch: Fetch): Fetch {
  return (path, init) => {
    const cause = reconciling.getStore();
    if (cause === undefined || (init?.method ?? "GET") === "GET") return fetch(path, init);
    const headers = { ...(init?.headers as Record<string, string>), [causeHeader]: `${cause.controller} ${cause.key}` };
    return fetch(path, { ...init, headers });
  };
}
