/** Prints JSON as other tools do: members sorted by name, three characters escaped. */

import { encodeJson } from "../machinery/json/json.ts";
import { isJson } from "./json.ts";

export function goJson(value: unknown): string {
  return encodeJson(sorted(value)).replaceAll("<", "\\u003c").replaceAll(">", "\\u003e").replaceAll("&", "\\u0026");
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isJson(value)) return value instanceof Number ? value.valueOf() : value;
  const result: Record<string, unknown> = {};
  for (const key of Object.keys(value).sort()) result[key] = sorted(value[key]);
  return result;
}

/** Four spaces, as `-o json` prints. Numbers beyond 2^53 stay exact. */
export function prettyJson(value: unknown): string {
  const marks = new Map<string, string>();
  const text = JSON.stringify(
    sorted(value),
    (_, item: unknown) => {
      if (typeof item !== "bigint") return item;
      const mark = `\u0001${marks.size}\u0001`;
      marks.set(JSON.stringify(mark), String(item));
      return mark;
    },
    4,
  );
  let exact = text ?? "null";
  for (const [mark, digits] of marks) exact = exact.replace(mark, digits);
  return `${exact.replaceAll("<", "\\u003c").replaceAll(">", "\\u003e").replaceAll("&", "\\u0026")}\n`;
}
