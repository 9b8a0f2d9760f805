/** What is remembered of the failed pods of each Job, and how long it waits before it makes the next one. */

import { type FailureRun, noFailures } from "./failure-run.ts";

/** The first pod is replaced at once, the second after ten seconds, each further one after twice the time. */
const jobBackoffMs = 10_000;
export const jobBackoffMsMax = 360_000;

export interface JobBackoff {
  /** A pod of the job has failed: how long until the job is reconciled again. */
  failed(key: string): number;
  /** The delay after a failed pod that was just observed. */
  delayMs(key: string): number;
  /** The job made progress, or is gone. */
  forget(key: string): void;
  /** The failures since the last success that the status of the job tells. */
  run(key: string): FailureRun;
  remember(key: string, run: FailureRun): void;
}

export function createJobBackoff(): JobBackoff {
  const failures = new Map<string, number>();
  const runs = new Map<string, FailureRun>();
  const delayAfter = (count: number) => (count <= 0 ? 0 : Math.min(jobBackoffMs * 2 ** (count - 1), jobBackoffMsMax));
  return {
    failed(key) {
      const count = (failures.get(key) ?? 0) + 1;
      failures.set(key, count);
      return delayAfter(count);
    },
    delayMs: (key) => delayAfter(failures.get(key) ?? 0),
    forget(key) {
      failures.delete(key);
      runs.delete(key);
    },
    run: (key) => runs.get(key) ?? noFailures,
    remember(key, run) {
      if (run.count === 0) runs.delete(key);
      else runs.set(key, run);
    },
  };
}
