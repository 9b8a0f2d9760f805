/** Lists that old clients keep as JSON in an annotation: tolerations of pods, taints of nodes. */

import { isObject } from "../../../machinery/json/json-value.ts";

/**
 * The items of `text`, of which only members named here are read, whatever the case of their letters. Undefined: it is not a
 * list of objects with such members.
 */
export function parseAnnotatedList(
  text: string,
  members: { readonly texts: readonly string[]; readonly numbers?: readonly string[] },
): Record<string, unknown>[] | undefined {
  const value = parseJson(text);
  if (value === null) return [];
  if (!Array.isArray(value)) return undefined;
  const items = value.map((item) => readItem(item ?? {}, members.texts, members.numbers ?? []));
  return items.every((item) => item !== undefined) ? items : undefined;
}

function readItem(
  item: unknown,
  texts: readonly string[],
  numbers: readonly string[],
): Record<string, unknown> | undefined {
  if (!isObject(item)) return undefined;
  const read: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(item)) {
    const isKey = (name: string) => name.toLowerCase() === key.toLowerCase();
    const text = texts.find(isKey);
    const number = numbers.find(isKey);
    if (value === null || (text === undefined && number === undefined)) continue;
    if (text !== undefined && typeof value !== "string") return undefined;
    if (number !== undefined && !Number.isInteger(value)) return undefined;
    read[text ?? number ?? ""] = value;
  }
  return read;
}

/** Undefined: it is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
