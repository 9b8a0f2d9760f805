/** Work on many objects, several at a time, with results in the order of the objects. */

/** How many objects are written at once. */
export const writesAtOnceMax = 10;

interface InOrder<T, R> {
  /** Objects of one batch are worked on at the same time, those of the next one afterwards. */
  readonly batches: readonly (readonly T[])[];
  readonly work: (item: T) => Promise<R>;
  /** Called for each object in order, as soon as it and all before it are finished. */
  readonly onDone: (result: R) => void;
  readonly onFailed: (error: unknown) => void;
}

/** Resolves when all are finished; a failure of one does not stop the others, unless `onFailed` throws. */
export async function workInOrder<T, R>({ batches, work, onDone, onFailed }: InOrder<T, R>): Promise<void> {
  for (const batch of batches) {
    const running: Promise<() => void>[] = [];
    for (const item of batch) {
      if (running.length >= writesAtOnceMax) (await running.shift()!)();
      running.push(
        work(item).then(
          (result) => () => onDone(result),
          (error: unknown) => () => onFailed(error),
        ),
      );
    }
    for (const one of running) (await one)();
  }
}
