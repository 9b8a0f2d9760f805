/** Keys that rest after their work, and those of them that were added meanwhile, with when. */

import type { Clock } from "../clock.ts";

export class Rests {
  /** Added while they rest. */
  readonly held = new Map<string, number>();
  readonly #clock: Clock;
  /** With what cancels the timer. */
  readonly #resting = new Map<string, () => void>();
  readonly #over: (key: string, addedAt: number) => void;

  /** `over`: called for a key that was added meanwhile when its rest is over. */
  constructor(clock: Clock, over: (key: string, addedAt: number) => void) {
    this.#clock = clock;
    this.#over = over;
  }

  has(key: string): boolean {
    return this.#resting.has(key);
  }

  /** Less than a millisecond is no rest. */
  begin(key: string, ms: number): void {
    if (ms < 1) return;
    const end = () => {
      this.#resting.delete(key);
      const addedAt = this.held.get(key);
      if (addedAt === undefined) return;
      this.held.delete(key);
      this.#over(key, addedAt);
    };
    this.#resting.set(key, this.#clock.after(ms, end));
  }

  close(): void {
    this.held.clear();
    for (const cancel of this.#resting.values()) cancel();
  }
}
