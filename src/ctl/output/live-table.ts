/** A table on a terminal that is kept up to date in place. */

import type { Context } from "../context.ts";
import { type Json, list, text } from "../json.ts";
import { Columns, columnsOf, headerOf, rowOf, type TableOptions } from "./table.ts";

export class LiveTable {
  readonly #context: Context;
  readonly #options: TableOptions;
  readonly #rows = new Map<string, string[]>();
  #header: string[] = [];
  /** How many lines are on the screen. */
  #shown = 0;

  constructor(context: Context, options: TableOptions) {
    this.#context = context;
    this.#options = options;
  }

  /** Takes the rows of a table in: added and changed ones, or those that are gone. */
  show(type: string, table: Json): void {
    const columns = columnsOf(table);
    if (columns.length > 0) this.#header = headerOf(columns, this.#options);
    for (const row of list(table, "rows")) {
      const key = `${text(row, "object", "metadata", "namespace")}/${text(row, "object", "metadata", "name")}`;
      if (type === "DELETED") this.#rows.delete(key);
      // Events carry the columns of the first table only.
      else this.#rows.set(key, rowOf(columns.length > 0 ? columns : this.#columns, row, this.#options));
    }
    if (columns.length > 0) this.#columns = columns;
    this.#draw();
  }

  #columns: ReturnType<typeof columnsOf> = [];

  #draw(): void {
    const rows = [...this.#rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
    const body = new Columns().format([...(this.#options.noHeaders ? [] : [this.#header]), ...rows]);
    const { highlight } = this.#options;
    const up = this.#shown === 0 ? "" : `\u001b[${this.#shown}A`;
    this.#shown = body.split("\n").length - 1;
    // Up to the first line, then everything below is cleared.
    this.#context.environment.stdout.write(
      `${up}\u001b[0J${highlight === undefined ? body : body.replaceAll(/\S+/g, highlight)}`,
    );
  }
}
