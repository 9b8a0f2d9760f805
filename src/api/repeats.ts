/** Which values of a list have been there before: found in one look through it, since lists may be long. */

/** The positions of values that an earlier one equals. */
export function repeats(values: readonly unknown[]): ReadonlySet<number> {
  const seen = new Set<unknown>();
  const positions = new Set<number>();
  values.forEach((value, index) => {
    if (seen.has(value)) positions.add(index);
    else seen.add(value);
  });
  return positions;
}
