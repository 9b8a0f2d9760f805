/** One of a limited number of places for requests that are executed at once. */
export class Slot {
  readonly #places: { used: number };
  #isUsed = true;
  #hasEnded = false;

  constructor(places: { used: number }) {
    this.#places = places;
    places.used++;
  }

  /** The request waits for another server, and uses no place until the returned function is called. */
  release(): () => void {
    if (!this.#isUsed) return () => {};
    this.#give();
    return () => {
      if (this.#hasEnded) return;
      this.#isUsed = true;
      this.#places.used++;
    };
  }

  end(): void {
    this.#hasEnded = true;
    if (this.#isUsed) this.#give();
  }

  #give(): void {
    this.#isUsed = false;
    this.#places.used--;
  }
}
