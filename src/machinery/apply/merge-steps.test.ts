/** The merge in steps has the same result as the one that runs at once. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { finish, type Steps } from "../../base/time-slice.ts";
import { encodeJson } from "../json/json.ts";
import { partsPerStep } from "../json/parts.ts";
import { arbitraryObject, seededSource } from "../schema/arbitrary.suite.ts";
import { merge } from "./merge.ts";
import { mergeInSteps } from "./merge-steps.ts";
import { sample } from "./sample-kind.suite.ts";
import { Unidentified } from "./topology.ts";

function outcome(work: () => unknown): unknown {
  try {
    return encodeJson(work());
  } catch (problem) {
    // Either of several such lists may be found first.
    if (problem instanceof Unidentified) return "unidentified";
    throw problem;
  }
}

test("of any two objects the result is the same, in the same order", () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer(), (one, other) => {
      const live = arbitraryObject(sample.schema, seededSource(one));
      const applied = arbitraryObject(sample.schema, seededSource(other));
      const atOnce = outcome(() => merge(sample.schema, live, applied));
      // With the smallest limit each member is merged on its own, with the largest all of them at once.
      for (const partsMax of [0, 3, 20])
        expect(outcome(() => finish(mergeInSteps(sample.schema, live, applied, partsMax)))).toEqual(atOnce);
    }),
    { numRuns: 400 },
  );
});

test("what stays as it is is shared with the live object", () => {
  const live = arbitraryObject(sample.schema, seededSource(7));
  expect(finish(mergeInSteps(sample.schema, live, { apiVersion: live["apiVersion"] }, 0))).toBe(live);
});

describe("an object with very many parts", () => {
  const count = 5 * partsPerStep;
  const names = (prefix: string) => Array.from({ length: count }, (_, at) => `${prefix}${(at * 7919) % count}`);
  const large = (prefix: string, value: string) => ({
    metadata: { name: "a" },
    spec: {
      colors: Object.fromEntries(names(prefix).map((name) => [name, value])),
      parts: names(prefix).map((name) => ({ name, image: value })),
    },
  });
  const cases = [
    { why: "that sets other members", live: large("a", "v"), applied: large("b", "v") },
    { why: "that sets other values", live: large("a", "v"), applied: large("a", "w") },
    { why: "that changes nothing", live: large("a", "v"), applied: large("a", "v") },
    { why: "of which little is set", live: large("a", "v"), applied: { spec: { colors: { a1: "w" } } } },
  ];
  for (const { why, live, applied } of cases)
    test(`${why} is merged in many steps`, () => {
      const [steps, result] = counted(mergeInSteps(sample.schema, live, applied));
      expect(JSON.stringify(result)).toBe(JSON.stringify(merge(sample.schema, live, applied)));
      expect(steps).toBeGreaterThan(why === "of which little is set" ? 2 : count / partsPerStep);
    });
});

function counted<T>(steps: Steps<T>): [count: number, result: T] {
  for (let count = 0; ; count++) {
    const { done, value } = steps.next();
    if (done) return [count, value];
  }
}
