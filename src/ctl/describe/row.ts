/** A description as data: rows in the order in which they are shown. `writer.ts` writes them. */

import { dig, entries, isJson, type Json, list, object } from "../json.ts";
import { type From, type Read, read } from "./readers.ts";

/** Where the alignment of columns restarts. */
export const align = { align: true } as const;

/** One line or several; undefined: none. */
interface Line {
  readonly line: Read<string | readonly string[] | undefined>;
}

/** Rows that are written once for each item, below a title. */
interface Group {
  readonly items: Read<readonly Json[]>;
  readonly rows: Rows;
  /** The whole line above the items. */
  readonly title?: string;
  /** Rows between the title and the first item. */
  readonly head?: Rows;
  /** Printed after the title of a group without items; undefined: such a group is omitted. */
  readonly none?: string;
  /** Spaces before each row. */
  readonly indent: number;
}

/** A text is a line that is always the same. */
export type Row = string | typeof align | Line | Group;
export type Rows = readonly Row[];

/** By heading: how to read the cells below it. */
export type ColumnReaders = Readonly<Record<string, From>>;

/** The path of a list of objects, or a function that returns one. */
type Items = string | Read<readonly Json[]>;

interface GroupOptions {
  readonly none?: string;
  readonly indent?: number;
}

interface TableOptions extends GroupOptions {
  /** The line below the headings; default: as long as they are. */
  readonly underlines?: readonly string[];
}

export const line = (from: Line["line"]): Row => ({ line: from });

/** `Title:  value`. */
export function field(title: string, from: From): Row {
  const value = read(from);
  return line(async (object, context) => `${title}:\t${await value(object, context)}`);
}

/** `Title:  value`, if the value is not empty. */
export function given(title: string, from: From): Row {
  const value = read(from);
  return line(async (object, context) => {
    const text = await value(object, context);
    return text === "" ? undefined : `${title}:\t${text}`;
  });
}

/** `Title:  a`, and the further values below the first; `<none>` if there are none. */
export function values(title: string, from: Read<readonly string[]>): Row {
  return field(title, async (object, context) => {
    const all = await from(object, context);
    return all.length === 0 ? "<none>" : all.join("\n\t");
  });
}

/** Rows below a title. */
export function section(title: string, rows: Rows, indent = 2): Row {
  return { items: (value) => [value], rows, title: `${title}:`, indent };
}

/** Rows about a member of the object, or about what belongs to it. */
export function within(path: string | Read<Json>, rows: Rows): Row {
  const items: Read<Json[]> =
    typeof path === "string"
      ? (value) => [object(value, ...path.split("."))]
      : async (value, context) => [await path(value, context)];
  return { items, rows, indent: 0 };
}

export function indented(rows: Rows, indent = 2): Row {
  return { items: (value) => [value], rows, indent };
}

/** Rows about objects for which the condition holds. */
export function when(condition: (value: Json) => boolean, rows: Rows): Row {
  return { items: (value) => (condition(value) ? [value] : []), rows, indent: 0 };
}

/** Rows about a member of the object, if it is there. */
export function ifThere(path: string, rows: Rows): Row {
  return { items: (value) => [dig(value, ...path.split("."))].filter(isJson), rows, indent: 0 };
}

/** Rows for each object of a list, without a title. */
export function each(items: Items, rows: Rows, indent = 0): Row {
  return { items: itemsOf(items), rows, indent };
}

/** Rows for each object of a list, below a title. */
export function group(title: string, items: Items, rows: Rows, { none, indent = 2 }: GroupOptions = {}): Group {
  return { items: itemsOf(items), rows, title: `${title}:`, indent, ...(none === undefined ? {} : { none }) };
}

/** A title, headings and a line for each object of a list. */
export function table(
  title: string,
  items: Items,
  columns: ColumnReaders,
  { underlines, ...rest }: TableOptions = {},
): Row {
  return { ...group(title, items, [cells(columns)], rest), head: headings(columns, underlines) };
}

/** The same without a title; the headings are shown even if the list is empty. */
export function plainTable(items: Items, columns: ColumnReaders, underlines?: readonly string[]): Row {
  return indented([...headings(columns, underlines), each(items, [cells(columns)])], 0);
}

/** Amounts by name, below a title; left out if there are none. */
export function amounts(title: string, path: string): Row {
  const all = (value: Json) => entries(value, ...path.split("."));
  return when(
    (value) => all(value).length > 0,
    [section(title, [line((value) => all(value).map(([name, amount]) => `${name}:\t${amount}`))])],
  );
}

function headings(columns: ColumnReaders, underlines?: readonly string[]): Rows {
  const all = Object.keys(columns);
  return [all.join("\t"), (underlines ?? all.map((heading) => "-".repeat(heading.length))).join("\t")];
}

function cells(columns: ColumnReaders): Row {
  const all = Object.values(columns).map(read);
  return line(async (value, context) => (await Promise.all(all.map((cell) => cell(value, context)))).join("\t"));
}

function itemsOf(items: Items): Read<readonly Json[]> {
  return typeof items === "string" ? (value) => list(value, ...items.split(".")) : items;
}
