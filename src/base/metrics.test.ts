import { expect, test } from "vitest";
import { Counter, Histogram, seriesMax } from "./metrics.ts";

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
