import { expect, test } from "vitest";
import { Counter, type MetricDeclaration } from "../base/metrics.ts";
import { createExposition } from "./exposition.ts";
import { helpOf, hiddenVersionProblem, parseRelease, stateOf } from "./life-cycle.ts";

const deprecatedIn = (deprecated: string, stability: "ALPHA" | "STABLE"): MetricDeclaration => ({
  name: "old_total",
  type: "counter",
  help: "Old things.",
  labels: [],
  stability,
  deprecated,
});

const cases = [
  { why: "it will be deprecated in a later release", since: "1.22.0", level: "ALPHA", in: "1.21", state: "shown" },
  { why: "it is deprecated in this release", since: "1.21.0", level: "ALPHA", in: "1.21", state: "deprecated" },
  {
    why: "an ALPHA metric is hidden in the next release",
    since: "1.20.0",
    level: "ALPHA",
    in: "1.21",
    state: "hidden",
  },
  {
    why: "a flag shows it for one more release",
    since: "1.20.0",
    level: "ALPHA",
    in: "1.21",
    show: "1.20",
    state: "deprecated",
  },
  {
    why: "the flag does not show it for longer",
    since: "1.19.0",
    level: "ALPHA",
    in: "1.21",
    show: "1.20",
    state: "hidden",
  },
  { why: "a STABLE one stays for three releases", since: "1.19.0", level: "STABLE", in: "1.21", state: "deprecated" },
  { why: "a STABLE one is hidden after that", since: "1.18.0", level: "STABLE", in: "1.21", state: "hidden" },
  {
    why: "the flag shows a STABLE one for one more release",
    since: "1.18.0",
    level: "STABLE",
    in: "1.21",
    show: "1.20",
    state: "deprecated",
  },
  {
    why: "the flag does not show a STABLE one for longer",
    since: "1.17.0",
    level: "STABLE",
    in: "1.21",
    show: "1.20",
    state: "hidden",
  },
] as const;

for (const { why, since, level, in: release, state, ...more } of cases) {
  test(`a ${level} metric deprecated in ${since} is ${state} in ${release}: ${why}`, () => {
    const show = "show" in more ? parseRelease(more.show) : undefined;
    expect(stateOf(deprecatedIn(since, level), parseRelease(release), show)).toBe(state);
  });
}

test("the help names the stability level and the release that deprecates a metric", () => {
  expect(helpOf(deprecatedIn("1.21.0", "STABLE"), "shown")).toBe("[STABLE] Old things.");
  expect(helpOf(deprecatedIn("1.21.0", "ALPHA"), "deprecated")).toBe("[ALPHA] (Deprecated since 1.21.0) Old things.");
});

test("only the previous release can be named to show its hidden metrics", () => {
  const release = parseRelease("1.21");
  expect(hiddenVersionProblem("", release)).toBeUndefined();
  expect(hiddenVersionProblem("1.20", release)).toBeUndefined();
  for (const value of ["1.19", "1.21", "1.20.0", "v1.20", "x"]) {
    expect(hiddenVersionProblem(value, release)).toBe(
      "--show-hidden-metrics-for-version must be omitted or have the value '1.20'. Only the previous minor version is allowed",
    );
  }
});

test("hidden and disabled metrics are not in the text, others have their spoken name", async () => {
  const metrics = [
    new Counter(deprecatedIn("1.20.0", "ALPHA")),
    new Counter({ ...deprecatedIn("1.21.0", "ALPHA"), name: "going_total" }),
    new Counter({ name: "kvstore_total", type: "counter", help: "Stores.", labels: [], stability: "STABLE" }),
    new Counter({ name: "unwanted_total", type: "counter", help: "U.", labels: [], stability: "ALPHA" }),
  ];
  const nameOf = (name: string) => name.replace("kvstore", "etcd");
  const print = createExposition({ nameOf, release: parseRelease("1.21"), disabled: ["unwanted_total"] });
  expect(await print(metrics)).toBe(
    [
      "# HELP going_total [ALPHA] (Deprecated since 1.21.0) Old things.",
      "# TYPE going_total counter",
      "going_total 0",
      "# HELP etcd_total [STABLE] Stores.",
      "# TYPE etcd_total counter",
      "etcd_total 0\n",
    ].join("\n"),
  );
});
