/** A keyed mutex: for each key, work runs one at a time, in the order in which it was requested. */

export interface Lanes {
  /** Begins when all earlier work for the same key has ended, successfully or not, or has called `leave`. */
  take<T>(key: string, work: (leave: () => void) => Promise<T>): Promise<T>;
}

export function createLanes(): Lanes {
  /** For each key with work: when its last work ends. */
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
