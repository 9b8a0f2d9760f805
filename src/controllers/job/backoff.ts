/** How long a Job whose pods fail waits before it makes the next one. */

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
}

export function createJobBackoff(): JobBackoff {
  const failures = new Map<string, number>();
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
    },
  };
}
