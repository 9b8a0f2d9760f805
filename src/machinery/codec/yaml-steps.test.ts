import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { finish, inTimeSlices } from "../../base/time-slice.ts";
import { encodeYaml } from "./yaml-print.ts";
import { encodeYamlSteps } from "./yaml-steps.ts";

/** Splits every value that has parts. */
const inSteps = (value: unknown, atOnceBytes = 1) => finish(encodeYamlSteps(value, atOnceBytes)).toString();

describe("YAML that is printed in steps", () => {
  const values = {
    nothing: {},
    "an empty list": { a: [], b: {} },
    members: { b: 1, a: { d: "x", c: null } },
    lists: { a: [1, [2, [3, 4]], { b: [5], c: { d: [{ e: [6] }, 7] } }] },
    "a list at the top": [{ a: 1 }, [], [[1], { b: [2] }]],
    "texts of several lines": { a: { t: "one\n\n  two\n\nthree\n", u: [" indented\nx", "x\n\n"], v: "\n" } },
    "trailing empty lines": { a: { b: ["x\n\n"] } },
    "keys that look like something else": { 1: { true: { "": { "a: b": { "- x": [1] } } } }, "10": 1, "2": { y: [1] } },
    "keys of several lines": { "a\nb": { c: [1] }, ["k".repeat(2_000)]: { d: [1] } },
    "keys with a special meaning": JSON.parse('{"__proto__":{"a":{"b":1}},"constructor":[[1]]}'),
    "values that JSON omits": { a: undefined, b: { c: undefined, d: [undefined] } },
    integers: { a: { b: 9007199254740993n } },
  };
  for (const [what, value] of Object.entries(values)) {
    test(`is the same text: ${what}`, () => {
      for (const bytes of [1, 10, 100]) expect(inSteps(value, bytes)).toBe(encodeYaml(value));
    });
  }

  test("is the same text for every value", () => {
    fc.assert(
      fc.property(
        fc.jsonValue({
          depthSize: "medium",
          stringUnit: fc.constantFrom("a", "b", " ", "\n", ":", "-", "#", '"', ".", "é"),
        }),
        fc.integer({ min: 1, max: 60 }),
        (value, bytes) => {
          expect(inSteps(value, bytes)).toBe(encodeYaml(value));
        },
      ),
      { numRuns: 500 },
    );
  });

  test("lets other work run in between", async () => {
    const data = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`k${at}`, "v"]));
    let slice = 0;
    const counting = setInterval(() => slice++, 0);
    expect(String(await inTimeSlices(encodeYamlSteps({ data })))).toBe(encodeYaml({ data }));
    clearInterval(counting);
    expect(slice).toBeGreaterThan(0);
  });
});
