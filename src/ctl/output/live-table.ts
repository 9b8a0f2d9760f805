/** A table on a terminal that is updated in place. */

import type { Context } from "../context.ts";
import { type Json, list, text } from "../json.ts";
import { Columns, columnsOf, headerOf, painter, rowOf, type TableOptions } from "./table.ts";

export class LiveTable {
  readonly #context: Context;
  readonly #options: TableOptions;
  /** In the order of their last change, the latest last. */
  readonly #rows = new Map<string, string[]>();
  #columns: ReturnType<typeof columnsOf> = [];
  /** The number of lines on the screen. */
  #shown = 0;

  constructor(context: Context, options: TableOptions) {
    this.#context = context;
    this.#options = options;
  }

  /** Applies the rows of a table: added and changed ones, or deleted ones. */
  show(type: string, table: Json): void {
    this.#columns = columnsOf(table);
    for (const row of list(table, "rows")) {
      const key = `${text(row, "object", "metadata", "namespace")}/${text(row, "object", "metadata", "name")}`;
      this.#rows.delete(key);
      if (type !== "DELETED") this.#rows.set(key, rowOf(this.#columns, row, this.#options));
    }
    this.#draw();
  }

  /** Lines never wrap and the table never scrolls: otherwise the first line could not be reached again. */
  #draw(): void {
    const { stdout } = this.#context.environment;
    const header = headerOf(this.#columns, this.#options);
    const room = Math.max(1, (stdout.rows ?? 0) - (this.#options.noHeaders ? 2 : 3));
    const fitting = [...this.#rows].slice(-room).sort(([a], [b]) => (a < b ? -1 : 1));
    const hidden = this.#rows.size - fitting.length;
    const lines = new Columns(stdout.columns).format(
      [...(this.#options.noHeaders ? [] : [header]), ...fitting.map(([, row]) => row)],
      painter(header, this.#options),
    );
    const more = hidden === 0 ? "" : `… and ${hidden} more, which changed before these\n`;
    const up = this.#shown === 0 ? "" : `\u001b[${this.#shown}A`;
    this.#shown = lines.split("\n").length - 1 + (hidden === 0 ? 0 : 1);
    // Moves up to the first line and clears everything below.
    stdout.write(`${up}\u001b[0J${lines}${more}`);
  }
}
