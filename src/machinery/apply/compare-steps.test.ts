/** The comparison in steps has the same result as the one that runs at once. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { finish, type Steps } from "../../base/time-slice.ts";
import { copyJson } from "../json/json-value.ts";
import { partsPerStep } from "../json/parts.ts";
import { arbitraryObject, seededSource } from "../schema/arbitrary.suite.ts";
import { compare } from "./compare.ts";
import { compareInSteps } from "./compare-steps.ts";
import { sample } from "./sample-kind.suite.ts";
import { toFieldSet, toFieldSetInSteps } from "./to-field-set.ts";
import { Unidentified } from "./topology.ts";

function outcome(work: () => unknown): unknown {
  try {
    return JSON.stringify(work());
  } catch (problem) {
    // Either of several such lists may be found first.
    if (problem instanceof Unidentified) return "unidentified";
    throw problem;
  }
}

/** The largest states are compared member by member down to the last, the smallest at once. */
const limits = [0, 3, 20];

describe("of any two states", () => {
  test("the steps find the same differences", () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer(), fc.boolean(), (one, other, isCreate) => {
        const before = isCreate ? undefined : arbitraryObject(sample.schema, seededSource(one));
        const after = arbitraryObject(sample.schema, seededSource(other));
        const atOnce = outcome(() => compare(sample.schema, before, after));
        for (const partsMax of limits) {
          expect(outcome(() => finish(compareInSteps(sample.schema, before, after, partsMax)))).toEqual(atOnce);
          expect(outcome(() => finish(compareInSteps(sample.schema, after, before, partsMax)))).toEqual(
            outcome(() => compare(sample.schema, after, before)),
          );
        }
      }),
      { numRuns: 400 },
    );
  });
});

describe("of two states with an equal member", () => {
  test("the steps find the same differences, and the same items that cannot be distinguished", () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer(), (one, other) => {
        const before = arbitraryObject(sample.schema, seededSource(one));
        const after = { ...arbitraryObject(sample.schema, seededSource(other)), spec: copyJson(before["spec"]) };
        // With this limit each member is walked through.
        const walked = outcome(() => finish(compareInSteps(sample.schema, before, after, 0)));
        expect(outcome(() => compare(sample.schema, before, after))).toEqual(walked);
      }),
      { numRuns: 400 },
    );
  });

  test("items that cannot be distinguished are found in a list that stays the same", () => {
    const lists = [
      { words: ["x", "x"] },
      { parts: [{ name: "a" }, { name: "a" }] },
      { parts: [{ name: "a", ports: [{ port: 1 }, { port: 1, protocol: "TCP" }] }] },
    ];
    for (const spec of lists)
      expect(outcome(() => compare(sample.schema, { spec }, { spec: copyJson(spec) }))).toBe("unidentified");
  });
});

describe("the fields that an object sets", () => {
  test("are the same when they are found in steps", () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const object = arbitraryObject(sample.schema, seededSource(seed));
        const atOnce = outcome(() => toFieldSet(sample.schema, object));
        for (const partsMax of limits) {
          expect(outcome(() => finish(toFieldSetInSteps(sample.schema, object, partsMax)))).toEqual(atOnce);
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe("an object with very many parts", () => {
  const count = 5 * partsPerStep;
  const names = (prefix: string) => Array.from({ length: count }, (_, at) => `${prefix}${(at * 7919) % count}`);
  const large = (prefix: string) => ({
    metadata: { name: "a", finalizers: names(prefix) },
    spec: {
      colors: Object.fromEntries(names(prefix).map((name) => [name, "v"])),
      parts: names(prefix).map((name) => ({ name, image: "i" })),
    },
  });
  const cases = [
    { why: "that is added", before: {}, after: large("a") },
    { why: "that is removed", before: large("a"), after: {} },
    { why: "that is replaced", before: large("a"), after: large("b") },
    { why: "that is unchanged", before: large("a"), after: copyJson(large("a")) },
  ];
  for (const { why, before, after } of cases) {
    test(`${why} is compared in many steps, with the same result`, () => {
      const [steps, result] = counted(compareInSteps(sample.schema, before, after));
      expect(result).toEqual(compare(sample.schema, before, after));
      expect(steps).toBeGreaterThan((2 * count) / partsPerStep);
    });
  }
});

test("the fields of an object with very many parts are found in many steps", () => {
  const object = { spec: { colors: Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`c${at}`, "v"])) } };
  const [steps, fields] = counted(toFieldSetInSteps(sample.schema, object));
  expect(fields).toEqual(toFieldSet(sample.schema, object));
  expect(steps).toBeGreaterThan(25);
});

function counted<T>(steps: Steps<T>): [count: number, result: T] {
  for (let count = 0; ; count++) {
    const { done, value } = steps.next();
    if (done) return [count, value];
  }
}
