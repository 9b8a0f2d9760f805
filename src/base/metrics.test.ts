import { expect, test } from "vitest";
import { Counter, Histogram, Summary, seriesMax, summarySamplesMax } from "./metrics.ts";

test("a counter prints one line for each combination of labels", () => {
  const counter = new Counter("requests_total", "Requests.", ["verb", "code"]);
  counter.add(counter.labelKey("GET", "200"));
  counter.add(counter.labelKey("GET", "200"), 2);
  counter.add(counter.labelKey('a"b\n', "404"));
  expect(counter.text()).toBe(
    '# HELP requests_total Requests.\n# TYPE requests_total counter\nrequests_total{verb="GET",code="200"} 3\nrequests_total{verb="a\\"b\\n",code="404"} 1\n',
  );
});

test("a histogram counts what is below each bound", () => {
  const histogram = new Histogram("seconds", "Time.", [], [1, 2]);
  for (const value of [0.5, 1.5, 3]) histogram.observe(histogram.series(""), value);
  expect(histogram.text()).toBe(
    '# HELP seconds Time.\n# TYPE seconds histogram\nseconds_bucket{le="1"} 1\nseconds_bucket{le="2"} 2\nseconds_bucket{le="+Inf"} 3\nseconds_sum 5\nseconds_count 3\n',
  );
});

test("the number of series is bounded", () => {
  const counter = new Counter("n", "N.", ["a"]);
  for (let i = 0; i < seriesMax + 100; i++) counter.add(counter.labelKey(String(i)));
  expect(counter.text().split("\n").length).toBeLessThanOrEqual(seriesMax + 3);
});

test("a summary tells quantiles of the newest values, and counts all", () => {
  const summary = new Summary("seconds", "Time.", ["a"]);
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
