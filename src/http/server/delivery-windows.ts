/**
 * When watches may write to their connections. One write costs a TLS record and a system call, far more than the event in it. While many
 * events are delivered, each client is written to at most once in a window of some milliseconds; otherwise every event goes out at once.
 */

import type { DeliveryPace, Gathering } from "../../registry/contract/watch.ts";

/** How long events may wait while others come. */
export const windowMs = 16;
/** A window ends when for this long nothing came and no write was in progress: a client that writes one after the other pauses less. */
export const quietMs = 3;
/** How often a window looks whether that is so. */
const lookMs = 1;
/** A timer may end this much early. */
const earlyMs = 0.5;
/** With fewer writes in a window, deliveries are not what keeps the server busy, and nothing waits. */
export const busyWrites = 20;

/** The windows of one server. A window lasts as long as there are deliveries; an idle server has no timer. */
export class DeliveryWindows implements DeliveryPace {
  /** The number of the window, so that watchers know whether they were called in this one. */
  current = 0;
  #isBusy = false;
  #writes = 0;
  #timer: NodeJS.Timeout | undefined;
  /** When the window ends at the latest; undefined between windows. */
  #endsMs: number | undefined;
  #quietSinceMs = 0;
  /** Whether something came since the last look. */
  #hasCome = false;
  #gathering: Gathering[] = [];
  readonly #writing: { readonly used: number };

  /** `writing`: the requests in progress that may change something. */
  constructor(writing: { readonly used: number }) {
    this.#writing = writing;
  }

  /** Watchers wait if they were called a moment ago: in this window, or in the one before. */
  mustGather(calledIn: number): boolean {
    return calledIn >= this.current - 1 && (this.#isBusy || this.#writes >= busyWrites);
  }

  add(waiting: Gathering): void {
    this.#gathering.push(waiting);
    this.gathered();
  }

  gathered(): void {
    this.#hasCome = true;
    this.#open();
  }

  /** Each of them writes to its client. */
  called(watchers: number): number {
    this.#writes += watchers;
    this.#open();
    return this.current;
  }

  #open(): void {
    if (this.#endsMs !== undefined) return;
    this.#quietSinceMs = performance.now();
    this.#endsMs = this.#quietSinceMs + windowMs - earlyMs;
    // The wait belongs to connections, not to the time that objects see, so it is not a timer of the server's clock.
    this.#timer ??= setTimeout(() => this.#look(), lookMs).unref();
    this.#timer.refresh();
  }

  #look(): void {
    const now = performance.now();
    if (this.#hasCome || this.#writing.used > 0) this.#quietSinceMs = now;
    this.#hasCome = false;
    if (now >= this.#quietSinceMs + quietMs - earlyMs || now >= (this.#endsMs ?? now)) this.#end();
    else this.#timer?.refresh();
  }

  #end(): void {
    const waiting = this.#gathering.splice(0);
    // If nothing was gathered, the burst is over, and the next event need not wait.
    this.#isBusy = waiting.length > 0 && this.#writes >= busyWrites;
    this.#writes = 0;
    this.current += 1;
    for (const watchers of waiting) watchers.flush();
    this.#endsMs = undefined;
    // Writing to a thousand clients takes longer than a window, so the next one begins when that is done.
    if (waiting.length > 0) this.#open();
  }
}
