/** Many creates in growing batches: when the first one is refused, the others would be refused as well. */

const firstBatch = 1;

interface SlowStart {
  readonly done: number;
  /** The first failure; no batch starts after it. */
  readonly error?: unknown;
}

/** Calls `work` for each item in batches of 1, 2, 4, …, each in parallel. */
export async function slowStart<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<SlowStart> {
  let done = 0;
  let begun = 0;
  for (let size = firstBatch; begun < items.length; size *= 2) {
    const batch = items.slice(begun, begun + size);
    begun += batch.length;
    const outcomes = await Promise.allSettled(batch.map(work));
    done += outcomes.filter(({ status }) => status === "fulfilled").length;
    const failed = outcomes.find((outcome) => outcome.status === "rejected");
    if (failed !== undefined) return { done, error: failed.reason };
  }
  return { done };
}
