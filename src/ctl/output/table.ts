/** Tables in aligned columns: cells are as wide as the widest of their column, three spaces apart. */

import { isJson, type Json, list, object, text } from "../json.ts";
import { showControls } from "./terminal.ts";

const cellWidthMin = 6;
const gap = 3;

/** Remembers widths, so that rows which come later stay in line with those before. */
export class Columns {
  readonly #widths: number[] = [];

  /** The rows as lines; the last cell of a row is not filled up. */
  format(rows: readonly (readonly string[])[]): string {
    const shown = rows.map((row) => row.map((cell) => showControls(cell).replaceAll("\t", " ")));
    for (const row of shown)
      row.slice(0, -1).forEach((cell, at) => {
        this.#widths[at] = Math.max(this.#widths[at] ?? cellWidthMin, width(cell) + gap);
      });
    return shown
      .map((row) => {
        const cells = row.map((cell, at) =>
          at === row.length - 1 ? cell : cell + " ".repeat(Math.max(0, (this.#widths[at] ?? 0) - width(cell))),
        );
        return `${cells.join("")}\n`;
      })
      .join("");
  }
}

const width = (cell: string): number => [...cell].length;

export interface TableOptions {
  readonly isWide: boolean;
  readonly noHeaders: boolean;
  readonly withNamespace: boolean;
  /** "deployment.apps/": stands before names. */
  readonly kindPrefix: string;
  readonly showLabels: boolean;
  readonly labelColumns: readonly string[];
  /** Marks a cell that shows something abnormal. */
  readonly highlight?: ((cell: string) => string) | undefined;
}

interface ColumnDefinition {
  readonly name: string;
  readonly priority: number;
}

export function columnsOf(table: Json): ColumnDefinition[] {
  return list(table, "columnDefinitions").map((column) => ({
    name: text(column, "name"),
    priority: Number(column["priority"] ?? 0),
  }));
}

export function headerOf(columns: readonly ColumnDefinition[], options: TableOptions): string[] {
  return [
    ...(options.withNamespace ? ["NAMESPACE"] : []),
    ...columns.filter(({ priority }) => options.isWide || priority === 0).map(({ name }) => name.toUpperCase()),
    ...options.labelColumns.map((label) => label.slice(label.lastIndexOf("/") + 1).toUpperCase()),
    ...(options.showLabels ? ["LABELS"] : []),
  ];
}

export function rowOf(columns: readonly ColumnDefinition[], row: Json, options: TableOptions): string[] {
  const cells = Array.isArray(row["cells"]) ? row["cells"] : [];
  const metadata = object(row, "object", "metadata");
  const labels = object(metadata, "labels");
  const nameAt = columns.findIndex(({ name }) => name === "Name");
  const shown = columns.flatMap(({ priority }, at) => {
    if (!options.isWide && priority !== 0) return [];
    const cell = cellText(cells[at]);
    return [at === nameAt && options.kindPrefix !== "" ? options.kindPrefix + cell : cell];
  });
  return [
    ...(options.withNamespace ? [text(metadata, "namespace")] : []),
    ...shown,
    ...options.labelColumns.map((label) => text(labels, label)),
    ...(options.showLabels ? [labelsText(labels)] : []),
  ];
}

/** Only the first line of a cell is shown. */
function cellText(cell: unknown): string {
  if (cell === null || cell === undefined) return "";
  const whole = typeof cell === "string" ? cell : typeof cell === "object" ? JSON.stringify(cell) : String(cell);
  const end = whole.search(/[\f\n\r]/);
  return end < 0 ? whole : `${whole.slice(0, end)}...`;
}

export function labelsText(labels: unknown): string {
  const all = Object.entries(isJson(labels) ? labels : {}).map(([key, value]) => `${key}=${String(value)}`);
  return all.length === 0 ? "<none>" : all.sort().join(",");
}
