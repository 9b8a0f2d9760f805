/** List and watch that end with an error when the server has been silent for too long, as behind a network that was cut without a word. */

import type { Clock } from "../../base/clock.ts";
import type { CachedObjectEvent, ListWatch, WatchQuery } from "../contract.ts";

/** Servers send bookmarks about every minute, so that a watch that sends nothing for this long is broken. */
export const stalledAfterMsDefault = 120_000;

export class Stalled extends Error {
  constructor(resource: string, ms: number) {
    super(`the server has sent nothing about ${resource} for ${ms / 1_000} s`);
  }
}

interface StallOptions {
  readonly clock: Clock;
  readonly stalledAfterMs: number;
}

export function withStallCheck<T>(listWatch: ListWatch<T>, { clock, stalledAfterMs }: StallOptions): ListWatch<T> {
  const { address } = listWatch;
  const begin = (signal: AbortSignal | undefined) =>
    new SilenceTimer(clock, stalledAfterMs, new Stalled(address.resource, stalledAfterMs), signal);
  return {
    address,
    async list(query = {}) {
      const timer = begin(query.signal);
      try {
        return await timer.race(listWatch.list({ ...query, signal: timer.signal }));
      } finally {
        timer.stop();
      }
    },
    watch: (query = {}) => watched(listWatch, query, begin(query.signal)),
  };
}

async function* watched<T>(
  listWatch: ListWatch<T>,
  query: WatchQuery,
  timer: SilenceTimer,
): AsyncGenerator<CachedObjectEvent<T>> {
  try {
    for await (const event of listWatch.watch({ ...query, signal: timer.signal })) {
      timer.heard();
      yield event;
    }
    // A watch that is aborted ends without an error.
    timer.check();
  } finally {
    timer.stop();
  }
}

/** Aborts its signal when nothing was heard for a time. A timer is set once in that time, not for every event. */
class SilenceTimer {
  readonly #clock: Clock;
  readonly #limitMs: number;
  readonly #error: Error;
  readonly #own = new AbortController();
  readonly signal: AbortSignal;
  #heardMs: number;
  #cancel: () => void;

  constructor(clock: Clock, limitMs: number, error: Error, signal: AbortSignal | undefined) {
    this.#clock = clock;
    this.#limitMs = limitMs;
    this.#error = error;
    this.signal = signal === undefined ? this.#own.signal : AbortSignal.any([signal, this.#own.signal]);
    this.#heardMs = clock.monotonic();
    this.#cancel = this.#wait(limitMs);
  }

  heard(): void {
    this.#heardMs = this.#clock.monotonic();
  }
  check(): void {
    if (this.#own.signal.aborted) throw this.#error;
  }
  stop(): void {
    this.#cancel();
  }
  /** The answer, or the error when the time is over: not every transport ends with its signal. */
  async race<R>(answer: Promise<R>): Promise<R> {
    const over = new Promise<never>((_, reject) =>
      this.#own.signal.addEventListener("abort", () => reject(this.#error), { once: true }),
    );
    return Promise.race([answer, over]);
  }

  #wait(ms: number): () => void {
    return this.#clock.after(ms, () => {
      const silentMs = this.#clock.monotonic() - this.#heardMs;
      if (silentMs >= this.#limitMs) this.#own.abort(this.#error);
      else this.#cancel = this.#wait(this.#limitMs - silentMs);
    });
  }
}
