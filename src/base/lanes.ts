/** Work that is done one after the other for each key, in the order in which it was asked for. */

export interface Lanes {
  /** Begins when all work that was asked for before with the same key has ended, well or not, or has called `leave`. */
  take<T>(key: string, work: (leave: () => void) => Promise<T>): Promise<T>;
}

export function createLanes(): Lanes {
  /** The end of the last work of each key that has any. */
  const ends = new Map<string, Promise<void>>();
  return {
    take(key, work) {
      let leave = (): void => {};
      const left = new Promise<void>((resolve) => {
        leave = resolve;
      });
      const mine = (ends.get(key) ?? Promise.resolve()).then(() => work(leave));
      const end: Promise<void> = Promise.race([left, mine]).then(forget, forget);
      function forget(): void {
        if (ends.get(key) === end) ends.delete(key);
      }
      ends.set(key, end);
      return mine;
    },
  };
}
