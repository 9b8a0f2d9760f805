/** --allow-metric-labels: values of a label that are not in its list are shown as "unexpected", as in v1.21. */

import { formatNumber, type MetricDeclaration } from "../base/metrics.ts";

/** By the name of the metric as clients see it, then by the name of the label. */
export type AllowedLabels = ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>;

const unexpected = "unexpected";
const keyForm = /^([a-zA-Z_:][a-zA-Z0-9_:]*),([a-zA-Z_][a-zA-Z0-9_]*)$/;

/** From "metric,label" to "value,value". Throws an Error that names the key that has another form. */
export function parseAllowedLabels(given: ReadonlyMap<string, string>): AllowedLabels {
  const allowed = new Map<string, Map<string, ReadonlySet<string>>>();
  for (const [key, values] of given) {
    const [, metric, label] = keyForm.exec(key) ?? [];
    if (metric === undefined || label === undefined) {
      throw new Error(`must have keys of the form metricName,labelName, not "${key}"`);
    }
    const labels = allowed.get(metric) ?? new Map<string, ReadonlySet<string>>();
    allowed.set(metric, labels.set(label, new Set(values.split(","))));
  }
  return allowed;
}

const sample = /^([^{ ]+)(?:\{(.*)\})? (\S+)$/;
const labelPair = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"/g;

/**
 * The text of one metric in which series whose labels have become the same are one. Their numbers are added; of the quantiles of a
 * summary, which cannot be added, the largest stays.
 */
export function withAllowedLabels(
  text: string,
  { labels, type }: MetricDeclaration,
  allowed: ReadonlyMap<string, ReadonlySet<string>>,
): string {
  // The bounds of buckets and quantiles are labels too, but not of the declaration.
  const limited = new Map([...allowed].filter(([label]) => labels.includes(label)));
  if (limited.size === 0) return text;
  const values = new Map<string, string>();
  for (const line of text.trimEnd().split("\n")) {
    const [, name = "", pairs = "", value = ""] = (line.startsWith("#") ? null : sample.exec(line)) ?? [];
    if (name === "") {
      values.set(line, "");
      continue;
    }
    const series = pairs === "" ? name : `${name}{${limitPairs(pairs, limited)}}`;
    const before = values.get(series);
    const isQuantile = type === "summary" && !/_(sum|count)$/.test(name);
    values.set(series, before === undefined ? value : join(before, value, isQuantile));
  }
  return [...values].map(([series, value]) => (value === "" ? `${series}\n` : `${series} ${value}\n`)).join("");
}

function limitPairs(pairs: string, limited: ReadonlyMap<string, ReadonlySet<string>>): string {
  return pairs.replace(labelPair, (pair, label: string, value: string) => {
    const list = limited.get(label);
    return list === undefined || list.has(unescapeLabel(value)) ? pair : `${label}="${unexpected}"`;
  });
}

function unescapeLabel(value: string): string {
  return value.replace(/\\(.)/g, (_, one: string) => (one === "n" ? "\n" : one));
}

function join(before: string, value: string, isQuantile: boolean): string {
  const [first, second] = [Number(before), Number(value)];
  if (Number.isNaN(first)) return value;
  if (Number.isNaN(second)) return before;
  return formatNumber(isQuantile ? Math.max(first, second) : first + second);
}
