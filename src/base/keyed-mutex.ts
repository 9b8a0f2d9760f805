/** A keyed mutex: for each key, work runs one at a time, in the order in which it was requested. */

export interface KeyedMutex {
  /** Begins when all earlier work for the same key has ended, successfully or not, or has called `leave`. */
  run<T>(key: string, work: (leave: () => void) => Promise<T>): Promise<T>;
  /** How much work for the key has been requested and has not ended. */
  pending(key: string): number;
}

export function createKeyedMutex(): KeyedMutex {
  /** For each key with work: when its last work ends, and how much there is. */
  const lasts = new Map<string, { end: Promise<void>; count: number }>();
  return {
    run(key, work) {
      let leave = (): void => {};
      const left = new Promise<void>((resolve) => {
        leave = resolve;
      });
      const last = lasts.get(key) ?? { end: Promise.resolve(), count: 0 };
      const mine = last.end.then(() => work(leave));
      const forget = (): void => {
        last.count -= 1;
        if (last.count === 0) lasts.delete(key);
      };
      last.end = Promise.race([left, mine]).then(forget, forget);
      last.count += 1;
      lasts.set(key, last);
      return mine;
    },
    pending: (key) => lasts.get(key)?.count ?? 0,
  };
}
