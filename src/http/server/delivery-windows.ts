/**
 * When a watch may write to its connection. One write costs a TLS record and a system call, far more than the event in it. While many
 * events are delivered, each client is written to at most once in a window of a few milliseconds; otherwise every event goes out at once.
 */

/** How long events may wait for others. */
export const windowMs = 10;
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
  #timer: NodeJS.Timeout | undefined;
  #gathering: Gathering[] = [];

  /** Whether a stream gathers what comes, because it wrote a moment ago: in this window, or in the one before. */
  mustGather(lastWrittenIn: number): boolean {
    return lastWrittenIn >= this.current - 1 && (this.#isBusy || this.#writes >= busyWrites);
  }

  /** The stream is flushed when the window ends. */
  add(stream: Gathering): void {
    this.#gathering.push(stream);
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
    this.#timer ??= setTimeout(() => this.#end(), windowMs).unref();
  }

  #end(): void {
    this.#timer = undefined;
    this.#isBusy = this.#writes >= busyWrites;
    this.#writes = 0;
    this.current += 1;
    for (const stream of this.#gathering.splice(0)) stream.flush();
    this.#beginNow();
  }

  /** To write to a thousand clients takes longer than a window. The next one begins when that is done. */
  #beginNow(): void {
    this.#timer?.refresh();
  }
}
