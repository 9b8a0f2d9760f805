import { expect, test } from "vitest";
import { Counter, Histogram, Summary } from "../base/metrics.ts";
import { parseAllowedLabels, withAllowedLabels } from "./allowed-labels.ts";
import { createExposition } from "./exposition.ts";

const allow = (labels: Record<string, readonly string[]>) =>
  new Map(Object.entries(labels).map(([label, values]) => [label, new Set(values)]));

test("keys name a metric and a label, values are separated by commas", () => {
  const given = new Map([
    ["a_total,verb", "GET,PUT"],
    ["a_total,code", "200"],
    ["b:c,_x", ""],
  ]);
  expect(parseAllowedLabels(given)).toEqual(
    new Map([
      ["a_total", allow({ verb: ["GET", "PUT"], code: ["200"] })],
      ["b:c", allow({ _x: [""] })],
    ]),
  );
  for (const key of ["a", "a,b,c", "1a,b", "a,b-c", ",b", "a,", ""]) {
    expect(() => parseAllowedLabels(new Map([[key, "x"]])), key).toThrow("metricName,labelName");
  }
});

test("values of a counter outside the list count together as unexpected, whatever the other labels allow", async () => {
  const counter = new Counter({ name: "a_total", type: "counter", help: "H.", labels: ["verb", "name"] });
  counter.add(counter.labelKey("GET", 'a"}, b="'), 1);
  counter.add(counter.labelKey("PUT", "x"), 2);
  counter.add(counter.labelKey("PATCH", "x"), 3_000_000);
  const allowedLabels = parseAllowedLabels(new Map([["etcd_total,verb", "GET,POST"]]));
  const print = createExposition({ nameOf: () => "etcd_total", release: { major: 1, minor: 21 }, allowedLabels });
  expect((await print([counter])).split("\n").slice(2)).toEqual([
    'etcd_total{verb="GET",name="a\\"}, b=\\""} 1',
    'etcd_total{verb="unexpected",name="x"} 3.000002e+06',
    "",
  ]);
});

test("buckets are added up, and the largest quantile is used", () => {
  const declaration = { name: "t", help: "H.", labels: ["verb"] } as const;
  const histogram = new Histogram({ ...declaration, type: "histogram", buckets: [1, 2] });
  const summary = new Summary({ ...declaration, type: "summary" });
  for (const [verb, value] of [
    ["GET", 0.5],
    ["PUT", 1.5],
    ["PATCH", 9],
  ] as const) {
    histogram.observe(histogram.series(histogram.labelKey(verb)), value);
    summary.observe(summary.samples(summary.labelKey(verb)), value);
  }
  const lists = allow({ verb: ["GET"], le: ["1"] });
  expect(withAllowedLabels(histogram.text(), histogram.declaration, lists).split("\n").slice(7, -1)).toEqual([
    't_bucket{verb="unexpected",le="1"} 0',
    't_bucket{verb="unexpected",le="2"} 1',
    't_bucket{verb="unexpected",le="+Inf"} 2',
    't_sum{verb="unexpected"} 10.5',
    't_count{verb="unexpected"} 2',
  ]);
  expect(withAllowedLabels(summary.text(), summary.declaration, lists).split("\n").slice(7, -1)).toEqual([
    't{verb="unexpected",quantile="0.5"} 9',
    't{verb="unexpected",quantile="0.9"} 9',
    't{verb="unexpected",quantile="0.99"} 9',
    't_sum{verb="unexpected"} 10.5',
    't_count{verb="unexpected"} 2',
  ]);
});
