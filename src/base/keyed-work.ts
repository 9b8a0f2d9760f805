/** Work that is done for a key after the key was touched: once however often it was touched, one at a time for each key. */

import type { Clock } from "./clock.ts";
import { Turns } from "./turns.ts";

/** Keys that are worked on at once; one change may touch thousands. */
export const keysAtOnceMax = 16;

export interface KeyedWork {
  /** Asks for the work; what was asked for while the key is being worked on is done once more afterwards. */
  touch(key: string): void;
  /** Nothing begins any more. Resolves when the work under way has ended. */
  close(): Promise<void>;
}

export interface KeyedWorkOptions {
  readonly clock: Clock;
  /** Brings what the key stands for to where it should be; called again after a failure. */
  work(key: string): Promise<void>;
  failed(key: string, error: unknown): void;
  /** How long after a failure the work is tried again; doubled by each further failure up to `retryMsMax`. */
  readonly retryMs?: number;
  readonly retryMsMax?: number;
}

interface State {
  running: boolean;
  again: boolean;
  failures: number;
  cancelRetry: (() => void) | undefined;
}

/*
 * touch(a), touch(a)             a: running, again      the work begins at the end of the current turn, once
 * ... the work ends              a: running             and begins once more
 * ... and fails                  a: retry in 100 ms     a touch in between begins at once
 * ... and ends well              a is forgotten
 */
export function createKeyedWork(options: KeyedWorkOptions): KeyedWork {
  const { clock, work, failed, retryMs = 100, retryMsMax = 30_000 } = options;
  const states = new Map<string, State>();
  const waiting: { readonly key: string; readonly state: State }[] = [];
  const workers = new Set<Promise<void>>();
  let closed = false;

  const run = async (key: string, state: State): Promise<void> => {
    do {
      state.again = false;
      try {
        await work(key);
        state.failures = 0;
      } catch (error) {
        if (closed) return;
        failed(key, error);
        state.failures++;
      }
    } while (state.again && !closed);
    state.running = false;
    if (closed) return;
    if (state.failures === 0) states.delete(key);
    else {
      const delay = Math.min(retryMs * 2 ** (state.failures - 1), retryMsMax);
      state.cancelRetry = clock.after(delay, () => begin(key, state));
    }
  };

  const begin = (key: string, state: State): void => {
    state.cancelRetry?.();
    state.cancelRetry = undefined;
    if (state.running) {
      state.again = true;
      return;
    }
    state.running = true;
    waiting.push({ key, state });
    if (workers.size >= keysAtOnceMax) return;
    // Not in the turn of whoever touched: it may be in the middle of telling others of a change.
    const worker: Promise<void> = Promise.resolve()
      .then(workThrough)
      .finally(() => workers.delete(worker));
    workers.add(worker);
  };

  /** Takes what waits, in turns with others: a store in memory would never make it wait. */
  const turns = new Turns();
  const workThrough = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined && !closed; next = waiting.shift()) {
      await run(next.key, next.state);
      if (turns.isLong) await turns.next();
    }
  };

  return {
    touch(key) {
      if (closed) return;
      let state = states.get(key);
      if (state === undefined) {
        state = { running: false, again: false, failures: 0, cancelRetry: undefined };
        states.set(key, state);
      }
      begin(key, state);
    },
    async close() {
      closed = true;
      for (const { cancelRetry } of states.values()) cancelRetry?.();
      await Promise.all(workers);
    },
  };
}
