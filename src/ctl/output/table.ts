/** Tables in aligned columns: cells are as wide as the widest of their column, three spaces apart. */

import { isJson, type Json, list, object, text } from "../json.ts";
import { showControls } from "./terminal.ts";

const cellWidthMin = 6;
const gap = 3;

/** A cell as it is printed, without a change of its width. */
type Paint = (cell: string, column: number, line: number) => string;

const unpainted: Paint = (cell) => cell;

/** Remembers widths, so that later rows stay aligned with earlier ones. */
export class Columns {
  readonly #widths: number[] = [];
  readonly #lineWidthMax: number;

  /** `lineWidthMax`: longer lines are cut; undefined: lines may have any length. */
  constructor(lineWidthMax?: number) {
    this.#lineWidthMax = lineWidthMax ?? Number.POSITIVE_INFINITY;
  }

  /** The rows as lines; the last cell of a row is not padded. `paint` gets each cell once widths are known. */
  format(rows: readonly (readonly string[])[], paint: Paint = unpainted): string {
    const shown = rows.map((row) => row.map((cell) => showControls(cell).replaceAll("\t", " ")));
    for (const row of shown)
      row.slice(0, -1).forEach((cell, at) => {
        this.#widths[at] = Math.max(this.#widths[at] ?? cellWidthMin, width(cell) + gap);
      });
    return shown
      .map((row, line) => {
        let room = this.#lineWidthMax;
        const cells = row.map((whole, at) => {
          const cell = width(whole) <= room ? whole : [...whole].slice(0, room).join("");
          const fill = at === row.length - 1 ? 0 : Math.max(0, (this.#widths[at] ?? 0) - width(cell));
          room -= width(cell) + fill;
          return paint(cell, at, line) + " ".repeat(room < 0 ? Math.max(0, fill + room) : fill);
        });
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
  /** Values between commas instead of aligned columns. */
  readonly isCsv: boolean;
  /** "deployment.apps/": the prefix of names. */
  readonly kindPrefix: string;
  readonly showLabels: boolean;
  readonly labelColumns: readonly string[];
  /** Marks a cell that shows something abnormal. `column` is the header in capitals. */
  readonly highlight?: ((column: string, cell: string) => string) | undefined;
}

/** Colours the abnormal cells below this header, which is the first line unless headers are omitted. */
export function painter(header: readonly string[], { highlight, noHeaders }: TableOptions): Paint {
  if (highlight === undefined) return unpainted;
  return (cell, at, line) => (line === 0 && !noHeaders ? cell : highlight(header[at] ?? "", cell));
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

function labelsText(labels: unknown): string {
  const all = Object.entries(isJson(labels) ? labels : {}).map(([key, value]) => `${key}=${String(value)}`);
  return all.length === 0 ? "<none>" : all.sort().join(",");
}

/** A line of comma-separated values, as RFC 4180 quotes them. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map((cell) => (/[",\n\r]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(",")}\n`;
}
