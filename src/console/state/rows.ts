/** Which rows of a table are shown, and in which order. */

import { type HealthState, healthStates, rowHealth } from "../../operations/health.ts";
import type { Column, Row } from "../server/tables.ts";

export interface Order {
  /** The column's index; -1: the namespace. */
  readonly column: number;
  readonly isDescending: boolean;
}

/**
 * Every word of the filter must be in some cell, the namespace or the name; `status:running`: in the cell of that column; `is:failing`: the
 * row is in this state; `!word`: in none of them.
 */
export function filterRows(rows: readonly Row[], columns: readonly Column[], filter: string): readonly Row[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return rows;
  const tests = words.map((word) => testOf(word, columns));
  return rows.filter((row) => tests.every((test) => test(row)));
}

function testOf(word: string, columns: readonly Column[]): (row: Row) => boolean {
  if (word.startsWith("!") && word.length > 1) {
    const test = testOf(word.slice(1), columns);
    return (row) => !test(row);
  }
  const [name = "", ...rest] = word.split(":");
  // Names may have a colon themselves: only the name of a column makes it one of these.
  const column =
    rest.length === 0 ? -1 : columns.findIndex((one) => one.name.toLowerCase().replaceAll(" ", "-") === name);
  const wanted = rest.join(":");
  if (column >= 0) return (row) => (row.cells[column] ?? "").toLowerCase().includes(wanted);
  const state = stateFilterOf(word);
  if (state !== undefined) return (row) => stateOf(row, columns) === state;
  if (name === "namespace" && rest.length > 0) return (row) => row.namespace.toLowerCase().includes(wanted);
  return (row) => searchedText(row).includes(word);
}

/** Rows are never changed, only replaced, so that each is judged once. */
const judged = new WeakMap<Row, { readonly columns: readonly Column[]; readonly state: HealthState | undefined }>();

function stateOf(row: Row, columns: readonly Column[]): HealthState | undefined {
  const known = judged.get(row);
  if (known?.columns === columns) return known.state;
  const state = rowHealth(
    columns.map(({ name }) => name),
    row.cells,
  );
  judged.set(row, { columns, state });
  return state;
}

/** How many rows are in which state; those that say nothing are in none. */
export function statesOf(rows: readonly Row[], columns: readonly Column[]): ReadonlyMap<HealthState, number> {
  const counts = new Map<HealthState, number>();
  for (const row of rows) {
    const state = stateOf(row, columns);
    if (state !== undefined) counts.set(state, (counts.get(state) ?? 0) + 1);
  }
  return counts;
}

const isState = /^is:(\w+)$/;

/** The state that a filter asks for; undefined: any. */
export const stateFilterOf = (filter: string): HealthState | undefined =>
  healthStates.find((state) => filter.split(/\s+/).some((word) => isState.exec(word)?.[1] === state));

/** The filter with this state instead of the one that it asks for; undefined: any state. */
export const withStateFilter = (filter: string, state: HealthState | undefined): string =>
  [
    ...filter.split(/\s+/).filter((word) => word !== "" && !isState.test(word)),
    ...(state === undefined ? [] : [`is:${state}`]),
  ].join(" ");

/** Rows are never changed, only replaced, so that each text is made once. */
const searchedTexts = new WeakMap<Row, string>();

function searchedText(row: Row): string {
  let text = searchedTexts.get(row);
  if (text === undefined) {
    text = `${row.namespace}\n${row.cells.join("\n")}`.toLowerCase();
    searchedTexts.set(row, text);
  }
  return text;
}

const collator = new Intl.Collator("en", { numeric: true });

/** What was sorted before: with the same columns and order, only rows that are new have to find their place. */
export interface Sorted {
  readonly rows: readonly Row[];
  readonly columns: readonly Column[];
  readonly order: Order;
}

export function sortRows(
  rows: readonly Row[],
  columns: readonly Column[],
  order: Order,
  before?: Sorted,
): readonly Row[] {
  const compare = comparison(columns, order);
  if (before?.columns !== columns || before.order !== order) return [...rows].sort(compare);
  const given = new Set(rows);
  const kept = before.rows.filter((row) => given.delete(row));
  const added = [...given].sort(compare);
  const sorted: Row[] = [];
  let next = 0;
  for (const row of kept) {
    for (let one = added[next]; one !== undefined && compare(one, row) < 0; one = added[++next]) sorted.push(one);
    sorted.push(row);
  }
  return [...sorted, ...added.slice(next)];
}

function comparison(columns: readonly Column[], order: Order): (a: Row, b: Row) => number {
  const isAge = isAgeColumn(columns[order.column]);
  const cellOf = (row: Row) => (order.column < 0 ? row.namespace : (row.cells[order.column] ?? ""));
  // An age grows while the time of creation falls.
  const compare = (a: Row, b: Row) =>
    (isAge ? b.createdMs - a.createdMs : collator.compare(cellOf(a), cellOf(b))) || collator.compare(a.key, b.key);
  return order.isDescending ? (a, b) => compare(b, a) : compare;
}

export const isAgeColumn = (column: Column | undefined): boolean => column?.name === "Age";

/** As a server prints it: 5s, 12m, 3h, 4d. */
export function ageOf(sinceMs: number, nowMs: number): string {
  if (sinceMs === 0) return "<unknown>";
  const seconds = Math.max(0, Math.floor((nowMs - sinceMs) / 1_000));
  if (seconds < 120) return `${seconds}s`;
  if (seconds < 2 * 3_600) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 2 * 86_400) return `${Math.floor(seconds / 3_600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}

/** Widths of columns in characters. They are those of all rows, so that nothing moves while scrolling. */
export function columnWidths(columns: readonly Column[], rows: readonly Row[]): number[] {
  const widths = columns.map(({ name }) => name.length + 2);
  for (const { cells } of rows)
    for (let at = 0; at < widths.length; at++) widths[at] = Math.max(widths[at] ?? 0, cells[at]?.length ?? 0);
  return widths.map((width, at) => Math.min(Math.max(width, 5), columnCharsMax) + 2 + iconChars(columns[at], at));
}

/** The icon before a word of a state, and on narrow pages before the name, which is cut only when it is long. */
const iconChars = (column: Column | undefined, at: number): number =>
  at === 0 || /status|state|phase|type/i.test(column?.name ?? "") ? 3 : 0;

/** The width of the column of namespaces. */
export const namespaceWidth = (rows: readonly Row[]): number =>
  Math.min(
    rows.reduce((most, { namespace }) => Math.max(most, namespace.length), "Namespace".length),
    namespaceCharsMax,
  ) + 4;
const namespaceCharsMax = 20;

/** Longer texts are cut; the object's page has them whole. */
export const columnCharsMax = 44;
