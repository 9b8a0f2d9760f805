/** Several messages as one, in the shape that clients know: `[a, b]`. */

/** Each is told once. `moreCount` others are not shown. */
export function aggregate(messages: readonly string[], moreCount = 0): string {
  const told = [...new Set(messages)];
  const [only] = told;
  if (only !== undefined && told.length === 1 && moreCount === 0) return only;
  return `[${[...told, ...(moreCount > 0 ? [`and ${moreCount} more`] : [])].join(", ")}]`;
}
