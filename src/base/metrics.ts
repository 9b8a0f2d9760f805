/** Metrics in the text format that Prometheus reads: counters, gauges, histograms and summaries with a bounded number of series. */

/** New label values beyond this count as "other": a client must not be able to fill the memory with them. */
export const seriesMax = 2_000;

export interface Metric {
  /** The lines of the metric, with its help and type. */
  text(): string;
}

/** One number of a metric; its owner changes it in place. */
export interface Cell {
  value: number;
}

/** Counts up (or, as a gauge, is set) for each combination of label values. */
export class Counter implements Metric {
  readonly #name: string;
  readonly #help: string;
  readonly #type: "counter" | "gauge";
  readonly #labels: readonly string[];
  readonly #cells = new Map<string, Cell>();

  constructor(name: string, help: string, labels: readonly string[] = [], type: "counter" | "gauge" = "counter") {
    this.#name = name;
    this.#help = help;
    this.#type = type;
    this.#labels = labels;
  }

  /** The series of one combination of labels, for callers that update it often. `key` comes from `labelKey`. */
  cell(key: string): Cell {
    let cell = this.#cells.get(key);
    if (cell === undefined) {
      if (this.#cells.size >= seriesMax) return { value: 0 };
      cell = { value: 0 };
      this.#cells.set(key, cell);
    }
    return cell;
  }
  add(key: string, amount = 1): void {
    this.cell(key).value += amount;
  }
  set(key: string, value: number): void {
    this.cell(key).value = value;
  }
  labelKey(...values: readonly string[]): string {
    return labelKey(this.#labels, values);
  }
  text(): string {
    const lines = [...this.#cells].map(([key, { value }]) => `${this.#name}${key === "" ? "" : `{${key}}`} ${value}`);
    return head(this.#name, this.#help, this.#type) + lines.join("\n") + (lines.length > 0 ? "\n" : "");
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
  readonly #name: string;
  readonly #help: string;
  readonly #labels: readonly string[];
  readonly #bounds: readonly number[];
  readonly #series = new Map<string, Series>();

  constructor(name: string, help: string, labels: readonly string[], bounds: readonly number[]) {
    this.#name = name;
    this.#help = help;
    this.#labels = labels;
    this.#bounds = bounds;
  }

  labelKey(...values: readonly string[]): string {
    return labelKey(this.#labels, values);
  }
  series(key: string): Series {
    let series = this.#series.get(key);
    if (series === undefined) {
      series = { counts: this.#bounds.map(() => 0), sum: 0, count: 0 };
      if (this.#series.size < seriesMax) this.#series.set(key, series);
    }
    return series;
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
  text(): string {
    let lines = "";
    for (const [key, { counts, sum, count }] of this.#series) {
      let below = 0;
      const comma = key === "" ? "" : `${key},`;
      counts.forEach((each, index) => {
        below += each;
        lines += `${this.#name}_bucket{${comma}le="${this.#bounds[index]}"} ${below}\n`;
      });
      lines += `${this.#name}_bucket{${comma}le="+Inf"} ${count}\n`;
      const labels = key === "" ? "" : `{${key}}`;
      lines += `${this.#name}_sum${labels} ${sum}\n${this.#name}_count${labels} ${count}\n`;
    }
    return head(this.#name, this.#help, "histogram") + lines;
  }
}

/** How many of the newest values the quantiles of one combination of labels are computed from. */
export const summarySamplesMax = 500;
const quantiles = [0.5, 0.9, 0.99];

/** The state of a summary for one combination of labels. */
export interface Samples {
  readonly newest: number[];
  sum: number;
  count: number;
}

/** Quantiles of the newest values. */
export class Summary implements Metric {
  readonly #name: string;
  readonly #help: string;
  readonly #labels: readonly string[];
  readonly #samples = new Map<string, Samples>();

  constructor(name: string, help: string, labels: readonly string[]) {
    this.#name = name;
    this.#help = help;
    this.#labels = labels;
  }

  labelKey(...values: readonly string[]): string {
    return labelKey(this.#labels, values);
  }
  samples(key: string): Samples {
    let samples = this.#samples.get(key);
    if (samples === undefined) {
      samples = { newest: [], sum: 0, count: 0 };
      if (this.#samples.size < seriesMax) this.#samples.set(key, samples);
    }
    return samples;
  }
  observe(samples: Samples, value: number): void {
    samples.newest[samples.count % summarySamplesMax] = value;
    samples.sum += value;
    samples.count++;
  }
  text(): string {
    let lines = "";
    for (const [key, { newest, sum, count }] of this.#samples) {
      const sorted = [...newest].sort((a, b) => a - b);
      const comma = key === "" ? "" : `${key},`;
      for (const quantile of quantiles) {
        const value = sorted[Math.min(sorted.length - 1, Math.floor(quantile * sorted.length))] ?? Number.NaN;
        lines += `${this.#name}{${comma}quantile="${quantile}"} ${value}\n`;
      }
      const labels = key === "" ? "" : `{${key}}`;
      lines += `${this.#name}_sum${labels} ${sum}\n${this.#name}_count${labels} ${count}\n`;
    }
    return head(this.#name, this.#help, "summary") + lines;
  }
}

/** A metric whose values are computed when a client reads the metrics. */
export class Reading implements Metric {
  readonly #name: string;
  readonly #help: string;
  readonly #type: "counter" | "gauge";
  readonly #read: () => Iterable<readonly [key: string, value: number]>;

  constructor(
    name: string,
    help: string,
    type: "counter" | "gauge",
    read: () => Iterable<readonly [key: string, value: number]>,
  ) {
    this.#name = name;
    this.#help = help;
    this.#type = type;
    this.#read = read;
  }
  text(): string {
    let lines = head(this.#name, this.#help, this.#type);
    for (const [key, value] of this.#read()) lines += `${this.#name}${key === "" ? "" : `{${key}}`} ${value}\n`;
    return lines;
  }
}

export function labelKey(names: readonly string[], values: readonly string[]): string {
  return names.map((name, index) => `${name}="${escapeLabel(values[index] ?? "")}"`).join(",");
}

function escapeLabel(value: string): string {
  return value.replace(/[\\"\n]/g, (one) => (one === "\n" ? "\\n" : `\\${one}`));
}

function head(name: string, help: string, type: string): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
}
