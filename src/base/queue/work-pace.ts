/**
 * How many keys a queue works on at once: its workers, and more where each key takes long. Work is slow because it waits, for a disk or for a
 * machine that others use: with four workers and a second for each write, a thousand keys would take four minutes and hardly any processor.
 */

/** Work that takes longer, on average, is slow: a write to a disk of its own takes a tenth of this. */
export const slowWorkMs = 50;
/** The share of the newest duration in the average. */
const newestShare = 0.1;

export class WorkPace {
  readonly #least: number;
  readonly #most: number;
  #averageMs = 0;

  constructor(least: number, most = least) {
    this.#least = least;
    this.#most = most;
  }

  /** Of the machine's time, whatever clock the queue has. */
  note(ms: number): void {
    this.#averageMs += (ms - this.#averageMs) * newestShare;
  }

  get workers(): number {
    const times = Math.max(1, this.#averageMs / slowWorkMs);
    return Math.min(this.#most, Math.floor(this.#least * times));
  }
}
