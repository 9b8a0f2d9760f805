/** Metrics in the text format that Prometheus reads: counters, gauges, histograms and summaries with a bounded number of series. */

/** New label values beyond this count as "other": a client must not be able to fill the memory with them. */
export const seriesMax = 2_000;

/** The declaration of a metric. */
export interface MetricDeclaration {
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram" | "summary";
  readonly help: string;
  /** In the order in which values are given. */
  readonly labels: readonly string[];
  /** The upper bounds of a histogram, without infinity. */
  readonly buckets?: readonly number[];
  /** STABLE: its name, type, labels and buckets stay. ALPHA: nothing is promised. Absent: not said. */
  readonly stability?: "ALPHA" | "STABLE";
  /** The release that deprecates it: "1.22.0". Absent: it is not deprecated. */
  readonly deprecated?: string;
}

export interface Metric {
  readonly declaration: MetricDeclaration;
  /** The lines of the metric, with its help and type. Both texts are the declaration's unless given. */
  text(name?: string, help?: string): string;
  /** Updates values that take time to read. Absent: `text` needs no preparation. */
  refresh?(): Promise<void>;
}

/** One number of a metric; its owner changes it in place. */
export interface Cell {
  value: number;
}

/** A bounded table of series by their labels; all that do not fit share the series whose labels are "other". */
class SeriesTable<T> {
  readonly #labels: readonly string[];
  readonly #make: () => T;
  /** Undefined: no series yet. Most metrics of most servers in tests never have any. */
  #series: Map<string, T> | undefined;
  constructor(labels: readonly string[], make: () => T) {
    this.#labels = labels;
    this.#make = make;
    // Without labels there is one series, which is there from the start.
    if (labels.length === 0) this.of("");
  }
  of(key: string): T {
    this.#series ??= new Map();
    let series = this.#series.get(key);
    if (series === undefined) {
      if (this.#series.size >= seriesMax - 1) {
        const other = labelKey(
          this.#labels,
          this.#labels.map(() => "other"),
        );
        if (key !== other) return this.of(other);
      }
      series = this.#make();
      this.#series.set(key, series);
    }
    return series;
  }
  /** `part`: some of the labels, which are neighbours in the declaration, from `labelKey`. */
  remove(part: string): void {
    for (const key of this.#series?.keys() ?? [])
      if (key.includes(part) && `,${key},`.includes(`,${part},`)) this.#series?.delete(key); // few get past the first
  }
  [Symbol.iterator](): IterableIterator<[string, T]> {
    return (this.#series ?? new Map<string, T>()).entries();
  }
}

/** Counts up (or, as a gauge, is set) for each combination of label values. */
export class Counter implements Metric {
  readonly declaration: MetricDeclaration;
  readonly #cells: SeriesTable<Cell>;

  constructor(declaration: MetricDeclaration) {
    this.declaration = declaration;
    this.#cells = new SeriesTable(declaration.labels, () => ({ value: 0 }));
  }

  /** The series of one combination of labels, for callers that update it often. `key` comes from `labelKey`. */
  cell(key = ""): Cell {
    return this.#cells.of(key);
  }
  add(key = "", amount = 1): void {
    this.cell(key).value += amount;
  }
  set(key: string, value: number): void {
    this.cell(key).value = value;
  }
  labelKey(...values: readonly string[]): string {
    return labelKey(this.declaration.labels, values);
  }
  /** Removes the series with these labels: what they are about is gone, and others need the place. */
  remove(labels: Readonly<Record<string, string>>): void {
    this.#cells.remove(labelKey(Object.keys(labels), Object.values(labels)));
  }
  text(name = this.declaration.name, help = this.declaration.help): string {
    let text = head(name, help, this.declaration.type);
    for (const [key, { value }] of this.#cells) text += line(name, key, value);
    return text;
  }
}

/** The state of a histogram for one combination of labels. */
export interface Series {
  readonly counts: number[];
  sum: number;
  count: number;
}

/** Counts and sums of values, in buckets. */
export class Histogram implements Metric {
  readonly declaration: MetricDeclaration;
  readonly #bounds: readonly number[];
  readonly #series: SeriesTable<Series>;

  constructor(declaration: MetricDeclaration) {
    this.declaration = declaration;
    this.#bounds = declaration.buckets ?? [];
    this.#series = new SeriesTable(declaration.labels, () => ({
      counts: new Array<number>(this.#bounds.length).fill(0),
      sum: 0,
      count: 0,
    }));
  }

  labelKey(...values: readonly string[]): string {
    return labelKey(this.declaration.labels, values);
  }
  series(key = ""): Series {
    return this.#series.of(key);
  }
  /** As that of counters. */
  remove(labels: Readonly<Record<string, string>>): void {
    this.#series.remove(labelKey(Object.keys(labels), Object.values(labels)));
  }
  /** `times`: how often the value was seen. */
  observe(series: Series, value: number, times = 1): void {
    series.sum += value * times;
    series.count += times;
    const { counts } = series;
    for (let i = 0; i < counts.length; i++) {
      if (value <= this.#bounds[i]!) {
        counts[i]! += times;
        break;
      }
    }
  }
  text(name = this.declaration.name, help = this.declaration.help): string {
    return head(name, help, "histogram") + histogramLines(name, this.#series, this.#bounds);
  }
}

/** The samples of histograms whose counts another owner keeps. `counts` may have one more entry than there are bounds. */
export function histogramLines(
  name: string,
  all: Iterable<readonly [key: string, series: Series]>,
  bounds: readonly number[],
): string {
  const ends = bounds.map((bound) => `le="${formatNumber(bound)}"} `);
  let lines = "";
  for (const [key, { counts, sum, count }] of all) {
    const start = `${name}_bucket{${key === "" ? "" : `${key},`}`;
    let below = 0;
    for (let at = 0; at < ends.length; at++) {
      below += counts[at] ?? 0;
      lines += `${start}${ends[at]}${below}\n`;
    }
    lines += `${start}le="+Inf"} ${count}\n${line(`${name}_sum`, key, sum)}${line(`${name}_count`, key, count)}`;
  }
  return lines;
}

/** How many of the newest values the quantiles of one combination of labels are computed from. */
export const summarySamplesMax = 500;
const quantiles = [0.5, 0.9, 0.99];

/** The state of a summary for one combination of labels. */
interface Samples {
  readonly newest: number[];
  sum: number;
  count: number;
}

/** Quantiles of the newest values. */
export class Summary implements Metric {
  readonly declaration: MetricDeclaration;
  readonly #samples: SeriesTable<Samples>;

  constructor(declaration: MetricDeclaration) {
    this.declaration = declaration;
    this.#samples = new SeriesTable(declaration.labels, () => ({ newest: [], sum: 0, count: 0 }));
  }

  labelKey(...values: readonly string[]): string {
    return labelKey(this.declaration.labels, values);
  }
  samples(key = ""): Samples {
    return this.#samples.of(key);
  }
  observe(samples: Samples, value: number): void {
    samples.newest[samples.count % summarySamplesMax] = value;
    samples.sum += value;
    samples.count++;
  }
  text(name = this.declaration.name, help = this.declaration.help): string {
    let lines = head(name, help, "summary");
    for (const [key, { newest, sum, count }] of this.#samples) {
      const sorted = [...newest].sort((a, b) => a - b);
      const comma = key === "" ? "" : `${key},`;
      for (const quantile of quantiles) {
        const value = sorted[Math.min(sorted.length - 1, Math.floor(quantile * sorted.length))] ?? Number.NaN;
        lines += line(name, `${comma}quantile="${quantile}"`, value);
      }
      lines += line(`${name}_sum`, key, sum) + line(`${name}_count`, key, count);
    }
    return lines;
  }
}

/** A counter or gauge whose values are computed when a client reads the metrics. */
export class Reading implements Metric {
  readonly declaration: MetricDeclaration;
  readonly #read: () => Iterable<readonly [key: string, value: number]>;

  constructor(declaration: MetricDeclaration, read: () => Iterable<readonly [key: string, value: number]>) {
    this.declaration = declaration;
    this.#read = read;
  }
  text(name = this.declaration.name, help = this.declaration.help): string {
    let lines = head(name, help, this.declaration.type);
    let left = seriesMax;
    for (const [key, value] of this.#read()) {
      if (left-- === 0) break;
      lines += line(name, key, value);
    }
    return lines;
  }
}

export function labelKey(names: readonly string[], values: readonly string[]): string {
  // Joined, not added up: a key is kept for long, and V8 would keep each part of a sum.
  return names.map((name, at) => `${name}="${escapeLabel(values[at] ?? "")}"`).join(",");
}

const special = /[\\"\n]/;

function escapeLabel(value: string): string {
  if (!special.test(value)) return value;
  return value.replace(/[\\"\n]/g, (one) => (one === "\n" ? "\\n" : `\\${one}`));
}

export function head(name: string, help: string, type: string): string {
  return `# HELP ${name} ${help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}\n# TYPE ${name} ${type}\n`;
}

function line(name: string, key: string, value: number): string {
  return `${name}${key === "" ? "" : `{${key}}`} ${formatNumber(value)}\n`;
}

/** As client_golang prints numbers: queries compare bounds as text, so 1000000 has to be "1e+06". */
export function formatNumber(value: number): string {
  if (value >= 0 && value < 1e6 && Number.isInteger(value)) return String(value);
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  const [digits = "", exponent = "0"] = value.toExponential().split("e");
  const power = Number(exponent);
  // Large fractions are never bounds; every reader takes them in plain form.
  if (power >= -4 && (power < 6 || !Number.isInteger(value))) return String(value);
  const places = String(Math.abs(power)).padStart(2, "0");
  return `${digits}e${power < 0 ? "-" : "+"}${places}`;
}
