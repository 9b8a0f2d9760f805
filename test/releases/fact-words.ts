/** How the facts of a type and of a field are written: as words, so that two of them are compared and read word by word. */

/** What holds from each release on; null: it is gone. */
export type History<T> = readonly (readonly [release: string, value: T | null])[];

export type OwnFacts = Readonly<Record<string, unknown>>;

/** Words in the order in which they are written; the others follow from the type. */
const words = ["inside", "list", "keys", "map", "patch", "mergeKey", "enum", "itemEnum", "presence"] as const;

/** `[core.v1.Container] @2 required list=map keys=name`. */
export function fieldFacts(facts: OwnFacts): string {
  return [
    String(facts["type"]),
    ...(facts["proto"] === undefined ? [] : [`@${String(facts["proto"])}`]),
    ...(facts["required"] === true ? ["required"] : []),
    ...words.flatMap((word) => wordOf(word, facts[word])),
    ...(facts["default"] === undefined ? [] : [`default=${JSON.stringify(facts["default"])}`]),
  ].join(" ");
}

export function typeFacts({ scalar, map, inline, unions }: OwnFacts): string {
  const embedded = Object.entries((inline ?? {}) as Record<string, { proto?: number }>).map(
    ([name, { proto }]) => `${name}:${proto}`,
  );
  return [
    // An object of which nothing is said, and one without members, are the same to clients.
    ...wordOf("scalar", scalar === "object" ? undefined : scalar),
    ...wordOf("map", map),
    ...wordOf("inline", embedded.length === 0 ? undefined : embedded.sort()),
    ...(unions === undefined ? [] : [`unions=${sorted(unions)}`]),
  ].join(" ");
}

function wordOf(name: string, value: unknown): readonly string[] {
  if (value === undefined || value === null) return [];
  return [`${name}=${(Array.isArray(value) ? value.join(",") : String(value)).replaceAll(" ", "_")}`];
}

/** A value as text: the order of members and of texts does not matter. */
export function sorted(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) => {
    if (Array.isArray(each)) return each.every((item) => typeof item === "string") ? [...each].sort() : each;
    if (typeof each !== "object" || each === null) return each;
    return Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
