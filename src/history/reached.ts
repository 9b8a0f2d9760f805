/** How far a store has come: its newest revision, again and again. */

import { type Kv, RevisionCompacted } from "../kv/contract.ts";

/** Follows the store from when it is opened. A reader that is slow is told the newest revision only. */
export class ReachedRevision {
  readonly #kv: Kv;
  readonly #signal: AbortSignal;
  #reached = 0n;
  #following: Promise<void> | undefined;
  #hasEnded = false;
  #wake: () => void = () => {};

  constructor(kv: Kv, signal: AbortSignal) {
    this.#kv = kv;
    this.#signal = signal;
    signal.addEventListener("abort", () => this.#wake(), { once: true });
  }

  /** A revision after `at`, once there is one; undefined: the signal has aborted, or the store was closed. */
  async after(at: bigint): Promise<bigint | undefined> {
    this.#following ??= this.#follow();
    while (!this.#hasEnded && !this.#signal.aborted && this.#reached <= at)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    if (this.#signal.aborted) return undefined;
    if (this.#hasEnded) await this.#following; // its failure
    return this.#hasEnded ? undefined : this.#reached;
  }

  async #follow(): Promise<void> {
    try {
      for (let isWhole = false; !isWhole; ) {
        isWhole = true;
        try {
          const since = await this.#kv.revision();
          this.#moveTo(since);
          for await (const { revision } of this.#kv.watch("", since, this.#signal)) this.#moveTo(revision);
        } catch (error) {
          // Only progress is of interest, and that has not been lost.
          if (!(error instanceof RevisionCompacted)) throw error;
          isWhole = false;
        }
      }
    } finally {
      this.#hasEnded = true;
      this.#wake();
    }
  }

  #moveTo(revision: bigint): void {
    if (revision <= this.#reached) return;
    this.#reached = revision;
    this.#wake();
  }
}
