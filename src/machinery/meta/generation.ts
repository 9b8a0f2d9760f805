/** The count of changes of an object's desired state. */

/** One more. Clients may send counts beyond 2^53, which are bigint in memory. */
export function nextGeneration(generation: number | undefined): number {
  const before: unknown = generation ?? 0;
  // An int64 is a bigint where a number would not be exact; the type says number for the sake of all others.
  return typeof before === "bigint" ? ((before + 1n) as unknown as number) : (before as number) + 1;
}
