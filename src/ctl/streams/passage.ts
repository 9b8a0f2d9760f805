/** Joins a writer and a reader: each write waits until the reader has consumed it. */

export class Passage {
  readonly #waiting: Uint8Array[] = [];
  #isEnded = false;
  #failure: unknown;
  #wakeReader: () => void = () => {};
  #wakeWriter: () => void = () => {};

  writeBytes(bytes: Uint8Array): void {
    this.#waiting.push(bytes);
    this.#wakeReader();
  }

  async drained(): Promise<void> {
    while (this.#waiting.length > 0 && !this.#isEnded)
      await new Promise<void>((resolve) => {
        this.#wakeWriter = resolve;
      });
  }

  /** Ends the stream; with an error, the reader gets it. */
  end(failure?: unknown): void {
    this.#isEnded = true;
    this.#failure = failure;
    this.#wakeReader();
    this.#wakeWriter();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for (;;) {
      const next = this.#waiting.shift();
      if (next !== undefined) {
        yield next;
        // The writer continues when the reader asks for more.
        if (this.#waiting.length === 0) this.#wakeWriter();
      } else if (this.#failure !== undefined) throw this.#failure;
      else if (this.#isEnded) return;
      else
        await new Promise<void>((resolve) => {
          this.#wakeReader = resolve;
        });
    }
  }
}
