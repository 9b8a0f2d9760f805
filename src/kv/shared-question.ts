/** One request to a store shared by many callers that need an answer which is not older than their call. */

import type { Clock } from "../base/clock.ts";

/** A question that is not answered for this long does not hold up the next one. */
const waitMs = 5;

/**
 * A caller must not get the answer of a question that was sent before it came: something may have been written in between.
 * So callers gather while a question is on its way, and share the next one.
 *
 *     A calls   -> question 1 is sent
 *     B, C call -> they wait
 *     answer 1  -> for A; question 2 is sent, for B and C
 */
export class SharedQuestion<Answer> {
  readonly #ask: () => Promise<Answer>;
  readonly #clock: Clock;
  #onItsWay = 0;
  #next: Promise<Answer> | undefined;
  #sendNext: (() => void) | undefined;

  constructor(ask: () => Promise<Answer>, clock: Clock) {
    this.#ask = ask;
    this.#clock = clock;
  }

  answer(): Promise<Answer> {
    if (this.#onItsWay === 0) return this.#send();
    this.#next ??= new Promise<void>((resolve) => {
      const cancel = this.#clock.after(waitMs, () => this.#sendNext?.());
      this.#sendNext = () => {
        cancel();
        this.#next = undefined;
        this.#sendNext = undefined;
        resolve();
      };
    }).then(() => this.#send());
    return this.#next;
  }

  async #send(): Promise<Answer> {
    this.#onItsWay += 1;
    try {
      return await this.#ask();
    } finally {
      this.#onItsWay -= 1;
      if (this.#onItsWay === 0) this.#sendNext?.();
    }
  }
}
