/** Requests are limited and counted as reading or changing ones. */

export function isReading(verb: string): boolean {
  return verb === "get" || verb === "list" || verb === "watch";
}
