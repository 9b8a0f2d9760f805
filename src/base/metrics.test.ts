import { expect, test } from "vitest";
import { Counter, formatNumber, Histogram, Reading, Summary, seriesMax, summarySamplesMax } from "./metrics.ts";

test("a counter prints one line for each combination of labels", () => {
  const counter = new Counter({ name: "requests_total", type: "counter", help: "Requests.", labels: ["verb", "code"] });
  counter.add(counter.labelKey("GET", "200"));
  counter.add(counter.labelKey("GET", "200"), 2);
  counter.add(counter.labelKey('a"b\n', "404"));
  expect(counter.text()).toBe(
    '# HELP requests_total Requests.\n# TYPE requests_total counter\nrequests_total{verb="GET",code="200"} 3\nrequests_total{verb="a\\"b\\n",code="404"} 1\n',
  );
});

test("a histogram counts what is below each bound", () => {
  const histogram = new Histogram({ name: "seconds", type: "histogram", help: "Time.", labels: [], buckets: [1, 2] });
  for (const value of [0.5, 1.5, 3]) histogram.observe(histogram.series(""), value);
  expect(histogram.text()).toBe(
    '# HELP seconds Time.\n# TYPE seconds histogram\nseconds_bucket{le="1"} 1\nseconds_bucket{le="2"} 2\nseconds_bucket{le="+Inf"} 3\nseconds_sum 5\nseconds_count 3\n',
  );
});

test("the number of series is bounded", () => {
  const counter = new Counter({ name: "n", type: "counter", help: "N.", labels: ["a"] });
  for (let i = 0; i < seriesMax + 100; i++) counter.add(counter.labelKey(String(i)));
  const lines = counter.text().split("\n");
  expect(lines.length).toBe(seriesMax + 3);
  expect(lines).toContain('n{a="other"} 101');
  const many = Array.from({ length: seriesMax + 5 }, (_, at) => [`a="${at}"`, 1] as const);
  const reading = new Reading({ name: "m", type: "gauge", help: "M.", labels: ["a"] }, () => many);
  expect(reading.text().split("\n").length).toBe(seriesMax + 3);
});

test("series are removed by some of their labels, and their places are free for others", () => {
  const labels = ["verb", "resource", "subresource"];
  const counter = new Counter({ name: "n", type: "counter", help: "N.", labels });
  const histogram = new Histogram({ name: "h", type: "histogram", help: "H.", labels, buckets: [1] });
  const kept = [
    ["GET", "b", "a"],
    ["GET", "aa", ""],
  ];
  for (const values of [["GET", "a", ""], ["PUT", "a", "status"], ...kept]) {
    counter.add(counter.labelKey(...values));
    histogram.observe(histogram.series(histogram.labelKey(...values)), 1);
  }
  counter.remove({ resource: "a" });
  histogram.remove({ resource: "a" });
  const keys = kept.map((values) => counter.labelKey(...values));
  expect(counter.text().split("\n").slice(2)).toEqual([...keys.map((key) => `n{${key}} 1`), ""]);
  expect(histogram.text().match(/h_count\{.*?\}/g)).toEqual(keys.map((key) => `h_count{${key}}`));
  for (let i = 0; i < seriesMax; i++) counter.add(counter.labelKey("GET", "many", String(i)));
  counter.remove({ resource: "many" });
  counter.add(counter.labelKey("GET", "a", ""));
  expect(counter.text()).toContain('n{verb="GET",resource="a",subresource=""} 1');
});

test("a summary has quantiles of the newest values, and counts all", () => {
  const summary = new Summary({ name: "seconds", type: "summary", help: "Time.", labels: ["a"] });
  const samples = summary.samples(summary.labelKey("x"));
  for (let value = 0; value < summarySamplesMax; value++) summary.observe(samples, 1_000);
  for (let value = 1; value <= summarySamplesMax; value++) summary.observe(samples, value);
  const lines = summary.text().split("\n");
  expect(lines.slice(0, 5)).toEqual([
    "# HELP seconds Time.",
    "# TYPE seconds summary",
    'seconds{a="x",quantile="0.5"} 251',
    'seconds{a="x",quantile="0.9"} 451',
    'seconds{a="x",quantile="0.99"} 496',
  ]);
  expect(lines[6]).toBe('seconds_count{a="x"} 1000');
});

test("a metric without labels exists from the start", () => {
  expect(new Counter({ name: "n", type: "counter", help: "N.", labels: [] }).text()).toContain("\nn 0\n");
  expect(new Histogram({ name: "n", type: "histogram", help: "N.", labels: [], buckets: [1] }).text()).toContain(
    "n_count 0",
  );
});

const numbers: readonly [value: number, text: string][] = [
  [0, "0"],
  [0.005, "0.005"],
  [1e-8, "1e-08"],
  [0.00001, "1e-05"],
  [604_800, "604800"],
  [1e6, "1e+06"],
  [2_592_000, "2.592e+06"],
  [1e21, "1e+21"],
  [-3, "-3"],
  [1_700_000_000.25, "1700000000.25"],
  [Number.POSITIVE_INFINITY, "+Inf"],
  [Number.NaN, "NaN"],
];
for (const [value, text] of numbers) {
  test(`${value} is printed as ${text}, as other exporters do`, () => {
    expect(formatNumber(value)).toBe(text);
    expect(Number(text.replace("+Inf", "Infinity"))).toBe(value);
  });
}
