/**
 * When a watch may write to its connection. One write costs a TLS record and a system call, far more than the event in it. While many
 * events are delivered, each client is written to at most once in a window of some milliseconds; otherwise every event goes out at once.
 */

/** A window ends after a part of this length in which nothing came. The events of a burst follow each other faster. */
export const quietMs = 4;
/** How long events may wait while others come. */
export const windowMs = 4 * quietMs;
/** With fewer writes in a window, deliveries are not what keeps the server busy, and nothing waits. */
export const busyWrites = 20;

/** A stream that has something to write when the window ends. */
export interface Gathering {
  flush(): void;
}

/** The windows of one server. A window lasts as long as there are deliveries; an idle server has no timer. */
export class DeliveryWindows {
  /** The number of the window, so that a stream knows whether it has written in this one. */
  current = 0;
  #isBusy = false;
  #writes = 0;
  /** Ends the present part of the window. */
  #timer: NodeJS.Timeout | undefined;
  /** How long the parts before this one lasted. */
  #passedMs = 0;
  /** Whether nothing has come in this part. */
  #isQuiet = true;
  #gathering: Gathering[] = [];

  /** Whether a stream gathers what comes, because it wrote a moment ago: in this window, or in the one before. */
  mustGather(lastWrittenIn: number): boolean {
    return lastWrittenIn >= this.current - 1 && (this.#isBusy || this.#writes >= busyWrites);
  }

  /** The stream is flushed when the window ends. */
  add(stream: Gathering): void {
    this.#gathering.push(stream);
    this.gathered();
  }

  /** Something more came for a stream that is flushed when the window ends. */
  gathered(): void {
    this.#isQuiet = false;
    this.#open();
  }

  /** Counts a write. Returns the number of the window in which it happened. */
  written(): number {
    this.#writes += 1;
    this.#open();
    return this.current;
  }

  #open(): void {
    // The wait belongs to connections, not to the time that objects see, so it is not a timer of the server's clock.
    this.#timer ??= setTimeout(() => this.#endPart(), quietMs).unref();
  }

  #endPart(): void {
    this.#passedMs += quietMs;
    if (this.#isQuiet || this.#passedMs >= windowMs) this.#end();
    else this.#beginPart();
  }

  #beginPart(): void {
    this.#isQuiet = true;
    this.#timer?.refresh();
  }

  #end(): void {
    this.#timer = undefined;
    this.#passedMs = 0;
    this.#isBusy = this.#writes >= busyWrites;
    this.#writes = 0;
    this.current += 1;
    for (const stream of this.#gathering.splice(0)) stream.flush();
    // To write to a thousand clients takes longer than a window, so the next one begins when that is done.
    this.#beginPart();
  }
}
