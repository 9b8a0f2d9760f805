import { describe, expect, test } from "vitest";
import { changesUntil, compareReleases, existsIn, isSince, since, until, valuesIn } from "./release.ts";

describe("releases", () => {
  test("are compared as numbers, not as texts", () => {
    expect(["1.9", "1.21", "2.0", "1.3"].toSorted((a, b) => compareReleases(a as "1.9", b as "1.9"))).toEqual([
      "1.3",
      "1.9",
      "1.21",
      "2.0",
    ]);
    expect(isSince("1.21", "1.9")).toBe(true);
  });

  const spans = [
    { why: "without bounds it is always there", span: {}, in: true },
    { why: "the first release has it", span: { since: "1.21" }, in: true },
    { why: "a later one does not give it to earlier ones", span: { since: "1.22" }, in: false },
    { why: "the release that removes it no longer has it", span: { until: "1.21" }, in: false },
    { why: "it is there until then", span: { since: "1.9", until: "1.22" }, in: true },
  ] as const;
  for (const { why, span, in: there } of spans)
    test(`a span: ${why}`, () => expect(existsIn("1.21", span)).toBe(there));

  test("leave in a list the values of their span, and the list itself if no value has one", () => {
    const values = ["A", since("1.23", "B"), until("1.23", "C")];
    expect(valuesIn("1.21", values)).toEqual(["A", "C"]);
    expect(valuesIn("1.35", values)).toEqual(["A", "B"]);
    const plain = ["A"];
    expect(valuesIn("1.35", plain)).toBe(plain);
  });

  test("change properties in their order, whatever the order they are written in", () => {
    const changes = { "1.30": { a: 3 }, "1.9": { a: 1, b: 1 }, "1.40": { a: 4 } };
    expect(changesUntil("1.35", changes)).toEqual({ a: 3, b: 1 });
    expect(changesUntil("1.8", changes)).toBeUndefined();
  });
});
