/** Asynchronous work on many things, with few of them in progress at a time. */

import { nextTimeSlice } from "./time-slice.ts";

/**
 * The results, in the order of the items. All are worked on, even if one fails; then the first failure is thrown. Others are served before
 * each next piece of work, because what is answered in this process would otherwise never let the event loop turn.
 */
export async function fewAtOnce<T, R>(
  count: number,
  items: readonly T[],
  work: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  const failures: { readonly error: unknown }[] = [];
  let next = 0;
  const lane = async () => {
    while (next < items.length) {
      const at = next++;
      if (at >= count) await nextTimeSlice();
      try {
        results[at] = await work(items[at] as T);
      } catch (error) {
        failures.push({ error });
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(count, items.length) }, lane));
  const [first] = failures;
  if (first !== undefined) throw first.error;
  return results;
}
