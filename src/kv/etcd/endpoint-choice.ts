/** Which endpoint of an etcd cluster is asked: always the same one, until it fails. */

import type { Clock } from "../../base/clock.ts";

/** How long an endpoint that did not answer in time is passed over; finding out again would cost each caller that time. */
export const avoidedMs = 10_000;

/**
 * While members elect a leader all of them fail quickly, and a caller that simply went around would soon be back at the one that hangs:
 *
 *     a hangs (3 s) -> b: no leader -> c: no leader -> b: no leader -> c answers
 */
export class EndpointChoice {
  readonly #count: number;
  readonly #clock: Clock;
  /** By endpoint: when it was last found to hang. */
  readonly #hungMs = new Map<number, number>();
  #current = 0;

  constructor(count: number, clock: Clock) {
    this.#count = count;
    this.#clock = clock;
  }

  get current(): number {
    return this.#current;
  }

  /** `hung`: it did not answer in time, rather than with an error. Returns whether another endpoint is asked from now on. */
  leave(index: number, { hung }: { readonly hung: boolean }): boolean {
    if (hung) this.#hungMs.set(index, this.#clock.monotonic());
    if (this.#current !== index) return false;
    for (let step = 1; step <= this.#count; step += 1) {
      const next = (index + step) % this.#count;
      if (this.#isAvoided(next)) continue;
      this.#current = next;
      return next !== index;
    }
    this.#current = (index + 1) % this.#count;
    return this.#current !== index;
  }

  #isAvoided(index: number): boolean {
    const hungMs = this.#hungMs.get(index);
    return hungMs !== undefined && this.#clock.monotonic() - hungMs < avoidedMs;
  }
}
