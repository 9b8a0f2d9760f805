/** What the controller remembers of each quota between two passes. */

import { type Amounts, addTo, takeFrom } from "../../api/quota/amounts.ts";
import type { Clock } from "../../base/clock.ts";
import type { Quantity } from "../../machinery/values/quantity.ts";

/** The longest time between the charge and the store of a new object: the default of --request-timeout. */
const stableAfterMs = 60_000;

interface Memory {
  /** When the quota last changed. */
  changedMs: number;
  /** What was released since the status was last written. */
  readonly freed: Map<string, Quantity>;
}

export class QuotaMemory {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #memories = new Map<string, Memory>();

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  changed(key: string): void {
    this.#of(key).changedMs = this.#clock.monotonic();
  }
  addFreed(key: string, amounts: Amounts): void {
    addTo(this.#of(key).freed, amounts);
  }
  freed(key: string): Amounts {
    return new Map(this.#of(key).freed);
  }
  /** A status that counts these amounts was written. */
  takeFreed(key: string, amounts: Amounts): void {
    takeFrom(this.#of(key).freed, amounts);
  }
  /** Until the quota is stable, because no charged create can be in progress any more; zero or less: it is. */
  stableInMs(key: string): number {
    return this.#of(key).changedMs + stableAfterMs - this.#clock.monotonic();
  }
  forget(key: string): void {
    this.#memories.delete(key);
  }

  #of(key: string): Memory {
    const known = this.#memories.get(key) ?? { changedMs: this.#clock.monotonic(), freed: new Map() };
    this.#memories.set(key, known);
    return known;
  }
}
