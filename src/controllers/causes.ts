/** What a controller works on while it writes: its writes say so, in their log and, to a server that keeps a history, in a header. */

import { AsyncLocalStorage } from "node:async_hooks";
import type { Fetch } from "../client/contract.ts";
import { withCause } from "../client/requests/cause.ts";

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

/** Writes within `whileReconciling` say what caused them. */
export const withCauses = (fetch: Fetch): Fetch =>
  withCause(fetch, () => {
    const cause = reconciling.getStore();
    return cause && `${cause.controller} ${cause.key}`;
  });
