/** Requests that wait until the cache has applied a revision. */

import type { Clock } from "../../base/clock.ts";
import { serviceUnavailable } from "../../machinery/status/status.ts";

interface Waiter {
  readonly revision: bigint;
  finish(reached: boolean, error?: Error): void;
}

export class RevisionWaiters {
  readonly #clock: Clock;
  #waiting: Waiter[] = [];
  #closed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Resolves to true once `wake` is called with this revision or a later one, and to false after `timeoutMs` (absent: there is no
   * time limit). Rejects when the caller's signal aborts or the cache closes.
   */
  wait(revision: bigint, timeoutMs: number | undefined, signal: AbortSignal | undefined): Promise<boolean> {
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(closed());
      if (signal?.aborted) return reject(signal.reason);
      const waiter: Waiter = {
        revision,
        finish: (reached, error) => {
          cancel?.();
          signal?.removeEventListener("abort", abort);
          if (error === undefined) resolve(reached);
          else reject(error);
        },
      };
      const abort = (): void => {
        this.#remove(waiter);
        waiter.finish(false, signal?.reason);
      };
      const expire = (): void => {
        this.#remove(waiter);
        waiter.finish(false);
      };
      const cancel = timeoutMs === undefined ? undefined : this.#clock.after(timeoutMs, expire);
      signal?.addEventListener("abort", abort);
      this.#waiting.push(waiter);
    });
  }

  wake(revision: bigint): void {
    if (this.#waiting.length === 0) return;
    const due = this.#waiting.filter((waiter) => waiter.revision <= revision);
    if (due.length === 0) return;
    this.#waiting = this.#waiting.filter((waiter) => waiter.revision > revision);
    for (const waiter of due) waiter.finish(true);
  }

  close(): void {
    this.#closed = true;
    for (const waiter of this.#waiting.splice(0)) waiter.finish(false, closed());
  }

  #remove(waiter: Waiter): void {
    this.#waiting = this.#waiting.filter((other) => other !== waiter);
  }
}

const closed = (): Error => serviceUnavailable("the server is shutting down");
