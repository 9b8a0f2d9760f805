/** Writes the rows of a description, with the columns of neighbouring lines aligned. */

import type { Context } from "../context.ts";
import type { Json } from "../json.ts";
import { tabbed } from "../output/tabbed.ts";
import type { Rows } from "./row.ts";

/** The description of an object. */
export async function describeBy(rows: Rows, value: Json, context: Context): Promise<string> {
  const parts = [""];
  await write(parts, 0, rows, value, context);
  return parts.map((part) => tabbed(part)).join("");
}

/** The same with tabs between columns. */
export async function describeUnaligned(rows: Rows, value: Json, context: Context): Promise<string> {
  const parts = [""];
  await write(parts, 0, rows, value, context);
  return parts.join("");
}

async function write(parts: string[], indent: number, rows: Rows, value: Json, context: Context): Promise<void> {
  const print = (text: string) => {
    parts[parts.length - 1] += `${" ".repeat(indent)}${text}\n`;
  };
  for (const row of rows)
    if (typeof row === "string") print(row);
    else if ("align" in row) parts.push("");
    else if ("line" in row) {
      for (const text of [(await row.line(value, context)) ?? []].flat()) print(text);
    } else {
      const items = await row.items(value, context);
      if (items.length === 0 && row.none === undefined) continue;
      if (row.title !== undefined) print(items.length === 0 ? row.title + row.none : row.title);
      if (items.length === 0) continue;
      const below = indent + row.indent;
      await write(parts, below, row.head ?? [], value, context);
      for (const item of items) await write(parts, below, row.rows, item, context);
    }
}
