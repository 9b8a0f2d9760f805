/** Keeps the turns of the event loop short in which many small requests arrive at once. */

/** What has begun is not interrupted, so a turn takes a little longer than this. */
export const turnMsMax = 10;

/** Work begins at once until the turn is long; what comes later begins in the next turns, in order. */
export class ShortTurns {
  readonly #now: () => number;
  /** When the first work of this turn began. */
  #beganMs: number | undefined;

  constructor(now = () => performance.now()) {
    this.#now = now;
  }

  /** Undefined: the work may begin at once. */
  enter(): Promise<void> | undefined {
    return this.#isLong() ? new Promise((begin) => this.#beginLater(begin)) : undefined;
  }

  /** Each has an immediate of its own: Node runs what one of them begins before the next. */
  #beginLater(begin: () => void): void {
    setImmediate(() => {
      if (this.#isLong()) this.#beginLater(begin);
      else begin();
    });
  }

  #isLong(): boolean {
    if (this.#beganMs !== undefined) return this.#now() - this.#beganMs > turnMsMax;
    this.#beganMs = this.#now();
    setImmediate(() => {
      this.#beganMs = undefined;
    });
    return false;
  }
}
