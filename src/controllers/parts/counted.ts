/** Counts of a status. */

/** Zeros are omitted, as the server does. */
export function counted<K extends string>(counts: Record<K, number>): Partial<Record<K, number>> {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0)) as Partial<Record<K, number>>; // the same keys
}
