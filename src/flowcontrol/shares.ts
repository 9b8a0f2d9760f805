/** Divides the number of requests that a server executes at once among its priority levels. */

/**
 * What each level is assured of, in the order of `shares`. Rounded up, so that no level is left without a seat; the sum may be a
 * little more than `total`.
 */
export function divide(total: number, shares: readonly number[]): number[] {
  const sum = shares.reduce((before, share) => before + share, 0);
  return shares.map((share) => (share === 0 ? 0 : Math.ceil((total * share) / sum)));
}

/**
 * The limits on requests in flight together. Infinity is a limit that is off: it adds nothing, as in v1.21, and if all are off, there is
 * no limit at all.
 */
export function totalSeats(limits: readonly number[]): number {
  const given = limits.filter((limit) => limit !== Number.POSITIVE_INFINITY);
  return given.length === 0 ? Number.POSITIVE_INFINITY : given.reduce((sum, limit) => sum + limit, 0);
}
