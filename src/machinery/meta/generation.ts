/** The count of changes of an object's desired state. */

/** One more. Clients may send counts beyond 2^53, which are bigint in memory. */
export function nextGeneration(generation: number | undefined): number {
  // An int64 is a bigint where a number would not be exact; the type is number because nearly all are. `++` works for both.
  let next = generation ?? 0;
  next++;
  return next;
}
