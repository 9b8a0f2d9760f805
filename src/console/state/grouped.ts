/** Values by what they have in common; Map.groupBy is not in Node 20, where the tests run. */

export function groupedBy<T, K>(values: readonly T[], keyOf: (value: T) => K): Map<K, readonly T[]> {
  const groups = new Map<K, T[]>();
  for (const value of values) {
    const group = groups.get(keyOf(value));
    if (group === undefined) groups.set(keyOf(value), [value]);
    else group.push(value);
  }
  return groups;
}
