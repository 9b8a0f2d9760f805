/** Requests are limited and counted as reading or changing ones. */

const readingVerbs: ReadonlySet<string> = new Set(["get", "list", "watch"]);

export function isReading(verb: string): boolean {
  return readingVerbs.has(verb);
}
