import { expect, test } from "vitest";
import { createCatalog } from "../catalog/bind.ts";
import { elided, int32, string, struct } from "./build.ts";
import { plainEnvironment } from "./environment.suite.ts";
import { kind } from "./kind.ts";

const Gate = kind({
  group: "example.orch.io",
  version: "v1",
  kind: "Gate",
  resource: "gates",
  scope: "Namespaced",
  doc: "A Gate.",
  fields: {
    spec: elided(
      struct("test.v1.GateSpec", {
        host: elided(string()).named("label").ratcheted(),
        width: int32().atLeast(1),
        place: elided(struct("test.v1.Place", { street: elided(string()).named("label").ratcheted() })),
      }),
    ),
  },
});
const environment = plainEnvironment();
const { strategy } = createCatalog([Gate], environment).of(Gate);
const gate = (spec: object) => ({ metadata: { name: "a" }, spec: { width: 1, ...spec } });
const bad = { host: "No_label", place: { street: "No_label" } };

const cases = [
  { why: "a value that was stored may be kept", next: bad, old: bad, problems: [] },
  {
    why: "a value that changes must meet the rules",
    next: { ...bad, host: "Other_one" },
    old: bad,
    problems: ["spec.host"],
  },
  { why: "a value that is new must meet the rules", next: bad, old: {}, problems: ["spec.host", "spec.place.street"] },
  {
    why: "other fields must meet their rules in any case",
    next: { ...bad, width: 0 },
    old: { ...bad, width: 0 },
    problems: ["spec.width"],
  },
];
for (const { why, next, old, problems } of cases)
  test(`${why}`, () => {
    const errors = strategy.validateUpdate?.(gate(next), gate(old), environment) ?? [];
    expect(errors.map(({ field }) => field)).toEqual(problems);
  });

test("a new object must meet the rules", () => {
  const errors = strategy.validate?.(gate(bad), environment) ?? [];
  expect(errors.map(({ field }) => field)).toEqual(["spec.host", "spec.place.street"]);
});
