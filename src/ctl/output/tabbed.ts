/** Text with tabs as aligned columns: a column is a run of lines that have a cell there, and is as wide as the widest of them. */

interface TabOptions {
  /** Spaces after the widest cell. */
  readonly padding: number;
}

/**
 *   "a:\tx\nlong:\ty\n"   ->   a:     x
 *                              long:  y
 */
export function tabbed(text: string, { padding }: TabOptions = { padding: 2 }): string {
  const lines = text.split("\n").map((line) => line.split("\t"));
  const widths: number[][] = lines.map(() => []);
  measure(lines, widths, 0, lines.length, 0, padding);
  return lines
    .map((cells, at) =>
      cells
        .map((cell, column) => {
          const width = widths[at]?.[column];
          return width === undefined ? cell : cell + " ".repeat(Math.max(0, width - [...cell].length));
        })
        .join(""),
    )
    .join("\n");
}

function measure(
  lines: readonly (readonly string[])[],
  widths: number[][],
  from: number,
  to: number,
  column: number,
  padding: number,
): void {
  for (let start = from; start < to; start++) {
    if (column >= (lines[start]?.length ?? 0) - 1) continue;
    let end = start;
    let width = 0;
    while (end < to && column < (lines[end]?.length ?? 0) - 1) {
      const length = [...(lines[end]?.[column] ?? "")].length;
      width = Math.max(width, length === 0 ? 0 : length + padding, length === 0 ? padding : 0);
      end++;
    }
    for (let at = start; at < end; at++) {
      const row = widths[at];
      if (row !== undefined) row[column] = width;
    }
    measure(lines, widths, start, end, column + 1, padding);
    start = end - 1;
  }
}
