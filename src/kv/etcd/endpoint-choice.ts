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
    if (this.#current !== index || this.#count === 1) return false;
    const others = Array.from({ length: this.#count - 1 }, (_, step) => (index + 1 + step) % this.#count);
    // If all others hang, the one that did so first may be the first to be well again; this one fails for certain.
    this.#current =
      others.find((other) => !this.#isAvoided(other)) ?? others.sort((a, b) => this.#hung(a) - this.#hung(b))[0]!;
    return true;
  }

  #isAvoided(index: number): boolean {
    return this.#clock.monotonic() - this.#hung(index) < avoidedMs;
  }

  #hung(index: number): number {
    return this.#hungMs.get(index) ?? Number.NEGATIVE_INFINITY;
  }
}
