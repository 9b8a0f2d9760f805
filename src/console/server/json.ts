/** Reading values of objects, which may have any shape. */

export type Json = Readonly<Record<string, unknown>>;

export const isJson = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Names of fields and positions in lists, from an object to a value in it. */
export type FieldPath = readonly Step[];
export type Step = string | number;

/** The object at a path; an empty one if there is none. */
export function part(value: unknown, ...path: readonly string[]): Json {
  let at: unknown = value;
  for (const name of path) at = isJson(at) ? at[name] : undefined;
  return isJson(at) ? at : {};
}

/** The text at a path; "" if there is none. */
export function text(value: unknown, ...path: readonly string[]): string {
  const last = path.at(-1);
  const found = last === undefined ? value : part(value, ...path.slice(0, -1))[last];
  return typeof found === "string" || typeof found === "number" || typeof found === "boolean" ? String(found) : "";
}

/** The objects of the list at a path. */
export function parts(value: unknown, ...path: readonly string[]): Json[] {
  const found = part(value, ...path.slice(0, -1))[path.at(-1) ?? ""];
  return Array.isArray(found) ? found.filter(isJson) : [];
}
