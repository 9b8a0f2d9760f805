/** The contract of a work queue: every added key is processed after it was added, by one worker at a time. */

export interface WorkQueue {
  /** A key that already waits is not added twice; one that is being reconciled is reconciled again afterwards. */
  add(key: string): void;
  /** Adds the key later; the earliest of several wins. */
  addAfter(key: string, ms: number): void;
  /** Adds the key after a delay that grows with each failure since the last `forget`. */
  addRateLimited(key: string): void;
  /** How often the key was added rate limited since it was last forgotten. */
  retries(key: string): number;
  forget(key: string): void;
  /** Keys that wait for a worker. */
  readonly depth: number;
  readonly stats: QueueStats;
  /** In how many milliseconds the first of the keys that were added for later is due. Undefined: there are none. */
  readonly dueInMs: number | undefined;
  /** Starts no further work. Resolves when the work in progress has ended. */
  close(): Promise<void>;
}

/** The metrics of a queue. Histograms have a count for each of `queueBucketsSeconds` and one for what is beyond. */
export interface QueueStats {
  readonly name: string;
  depth: number;
  adds: number;
  retries: number;
  /** Keys whose work has failed and which wait for their next try. */
  readonly retrying: Set<string>;
  /** Since the start of the longest running work, and the sum over all that run. */
  running: Map<string, number>;
  readonly waitedSeconds: QueueHistogram;
  readonly workedSeconds: QueueHistogram;
}

export interface QueueHistogram {
  readonly counts: number[];
  sum: number;
  count: number;
}

/** As v1.21: 10 ns to 10 s, by tens. */
export const queueBucketsSeconds: readonly number[] = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 10];
