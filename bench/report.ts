/** What was measured, as rows that print as a table and are written as JSON. */

export interface Row {
  readonly what: string;
  /** With its unit. */
  readonly measured: string;
  /** The same on the bare server or store; "": there is nothing beside it. */
  readonly beside: string;
  /** measured / beside by CPU or throughput; undefined: no ratio. */
  readonly ratio?: number;
  readonly budget: string;
  /** Undefined: nothing is asked of it. */
  readonly met?: boolean;
}

export function printTable(rows: readonly Row[]): string {
  const cells = rows.map(({ what, measured, beside, ratio, budget, met }) => [
    what,
    measured,
    beside,
    ratio === undefined ? "" : ratio.toFixed(2),
    budget,
    met === undefined ? "" : met ? "yes" : "NO",
  ]);
  const head = ["what", "measured", "beside", "ratio", "budget", "met"];
  const widths = head.map((title, at) => Math.max(title.length, ...cells.map((row) => row[at]?.length ?? 0)));
  const line = (row: readonly string[]) => `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(" | ")} |`;
  return [line(head), `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`, ...cells.map(line)].join("\n");
}

export const perSecond = (value: number, unit = "req"): string => `${Math.round(value).toLocaleString("en")} ${unit}/s`;
/** CPU time is far steadier than a rate on a machine that does other things too. */
export const withCpu = (text: string, cpuMicros: number | undefined): string =>
  cpuMicros === undefined || Number.isNaN(cpuMicros)
    ? text
    : `${text}, ${Math.round(cpuMicros).toLocaleString("en")} µs CPU`;
export const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
