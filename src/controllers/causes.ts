/** What a controller works on while it writes: its writes say so, in their log and, to a server that keeps a history, in a header. */

import { AsyncLocalStorage } from "node:async_hooks";
import type { Fetch } from "../client/contract.ts";
import { withCause } from "../client/requests/cause.ts";

interface Reconciled {
  readonly controller: string;
  readonly key: string;
}

/** Follows the work on keys through its promises, while there is any: it costs every promise of the process. */
class WorkInProgress {
  readonly #reconciling = new AsyncLocalStorage<Reconciled>();
  #count = 0;

  get now(): Reconciled | undefined {
    return this.#reconciling.getStore();
  }

  async follow<T>(reconciled: Reconciled, work: () => Promise<T>): Promise<T> {
    this.#count += 1;
    try {
      return await this.#reconciling.run(reconciled, work);
    } finally {
      this.#count -= 1;
      if (this.#count === 0) this.#reconciling.disable();
    }
  }
}

/** One for the process, as what it costs. */
const inProgress = new WorkInProgress();

/** Runs the work on a key, which then is the cause of its writes. */
export function whileReconciling<T>(reconciled: Reconciled, work: () => Promise<T>): Promise<T> {
  return inProgress.follow(reconciled, work);
}

/** What a history calls the key of a controller. */
export const causeOf = ({ controller, key }: Reconciled): string => `${controller} ${key}`;

/** The key that is being worked on; undefined: it is not known. */
export const reconciledKey = (): string | undefined => inProgress.now?.key;

/** Writes within `whileReconciling` say what caused them, those after its end may not. */
export const withCauses = (fetch: Fetch): Fetch =>
  withCause(fetch, () => {
    const reconciled = inProgress.now;
    return reconciled && causeOf(reconciled);
  });
