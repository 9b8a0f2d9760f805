import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { elided, list, map, quantity, string, struct } from "./build.ts";
import { sameValue } from "./same-value.ts";

describe("two values are the same to update rules", () => {
  const cases: { why: string; a: unknown; b: unknown; same: boolean }[] = [
    { why: "an empty list and an absent one", a: { x: [] }, b: {}, same: true },
    { why: "null and an absent value", a: { x: null }, b: {}, same: true },
    { why: "null and an empty list", a: null, b: [], same: true },
    { why: "keys in another order", a: { x: 1, y: 2 }, b: { y: 2, x: 1 }, same: true },
    { why: "not: items in another order", a: [1, 2], b: [2, 1], same: false },
    { why: "not: a list and a longer one", a: [1], b: [1, 1], same: false },
    { why: "not: a list and an object with its indexes", a: ["a"], b: { 0: "a" }, same: false },
    { why: "not: zero, false or an empty text, and an absent value", a: { x: 0, y: false, z: "" }, b: {}, same: false },
    { why: "not: a number and its digits", a: 1, b: "1", same: false },
    { why: "not: an empty object and an absent one", a: { x: {} }, b: {}, same: false },
    { why: "not: a key that only the prototype has", a: { toString: 1 }, b: {}, same: false },
    { why: "not: values that differ deep inside", a: { x: [{ y: [1] }] }, b: { x: [{ y: [2] }] }, same: false },
  ];
  for (const { why, a, b, same } of cases)
    test(why, () => expect([sameValue(a, b), sameValue(b, a)]).toEqual([same, same]));

  test("quantities in another notation, where they are declared as such", () => {
    const declared = struct("test.v1.Test", {
      one: elided(quantity()),
      all: elided(list(struct("test.v1.Item", { by: elided(map(quantity())), text: elided(string()) }))),
    });
    const value = (amount: string, text: string) => ({ one: amount, all: [{ by: { memory: amount }, text }] });
    expect(sameValue(value("1Ki", "a"), value("1024", "a"), declared)).toBe(true);
    expect(sameValue(value("1Ki", "a"), value("1025", "a"), declared)).toBe(false);
    expect(sameValue(value("1Ki", "1k"), value("1024", "1000"), declared)).toBe(false);
    expect(sameValue(value("1Ki", "a"), value("1024", "a"))).toBe(false);
    expect(sameValue({ one: "1" }, {}, declared)).toBe(false);
  });

  test("__proto__ is a key like any other", () => {
    const [a, b] = [JSON.parse('{"__proto__":{"x":1}}'), JSON.parse('{"__proto__":{"x":2}}')];
    expect([sameValue(a, a), sameValue(a, b), sameValue(a, {}), sameValue({}, a)]).toEqual([true, false, false, false]);
  });

  test("any value and its copy", () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => sameValue(value, JSON.parse(JSON.stringify(value)))));
  });

  test("in either order", () => {
    fc.assert(fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => sameValue(a, b) === sameValue(b, a)));
  });
});
