/** `-o custom-columns=NAME:.metadata.name,…`: columns that the user chose. */

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { JsonPath } from "../../machinery/json-path/parse.ts";
import type { Context } from "../context.ts";
import { CtlError } from "../errors.ts";
import { type Json, list } from "../json.ts";
import { isList, type ObjectPrinter } from "./formats.ts";
import { printValue } from "./go-template/format.ts";
import { find } from "./json-path.ts";
import { pathSteps } from "./sort.ts";
import { Columns } from "./table.ts";
import type { TableContext } from "./tables.ts";

interface Column {
  readonly title: string;
  readonly path: JsonPath;
}

export function columnsPrinter(context: TableContext, format: string, argument: string): ObjectPrinter {
  const columns = format === "custom-columns-file" ? fromFile(context, argument) : fromText(argument);
  const layout = new Columns();
  let isFirst = !context.flags["no-headers"];
  return (value) => {
    const rows = (isList(value) ? list(value, "items") : [value]).map((item) => row(columns, item));
    if (isFirst) rows.unshift(columns.map(({ title }) => title));
    isFirst = false;
    return layout.format(rows);
  };
}

function fromText(text: string): Column[] {
  return splitColumns(text).map((part) => {
    const colon = part.indexOf(":");
    if (colon < 0) throw new CtlError(`unexpected custom-columns spec: ${part}, expected <header>:<json-path-expr>`);
    return { title: part.slice(0, colon), path: pathSteps(part.slice(colon + 1)) };
  });
}

/** Commas within brackets belong to the path. */
function splitColumns(text: string): string[] {
  const parts = [""];
  let depth = 0;
  for (const char of text) {
    if (char === "[" || char === "(") depth++;
    if (char === "]" || char === ")") depth--;
    if (char === "," && depth === 0) parts.push("");
    else parts[parts.length - 1] += char;
  }
  return parts;
}

/** Two lines: titles, and the paths below them. */
function fromFile(context: Context, path: string): Column[] {
  let content: string;
  try {
    content = readFileSync(resolve(context.environment.cwd, path), "utf8");
  } catch (error) {
    throw new CtlError(`error reading template ${path}, open ${path}: no such file or directory`, { cause: error });
  }
  const [titles = "", paths = ""] = content.split("\n");
  if (paths.trim() === "")
    throw new CtlError(
      `invalid template, missing ${titles.trim() === "" ? "header" : "spec"} line. Expected format is one line of space separated headers, one line of space separated column specs.`,
    );
  const [names, expressions] = [titles.trim().split(/\s+/), paths.trim().split(/\s+/)];
  if (names.length !== expressions.length)
    throw new CtlError(
      `number of headers (${names.length}) and field specifications (${expressions.length}) don't match`,
    );
  return names.map((title, at) => ({ title, path: pathSteps(expressions[at] ?? "") }));
}

function row(columns: readonly Column[], object: Json): string[] {
  return columns.map(({ path }) => {
    const values = find(path, object);
    return values.length === 0 ? "<none>" : values.map((value) => shown(value)).join(",");
  });
}

function shown(value: unknown): string {
  return value === null || value === undefined
    ? "<none>"
    : typeof value === "number"
      ? String(value)
      : printValue(value);
}
