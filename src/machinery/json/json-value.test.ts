import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  copyJson,
  freezeInSteps,
  getOwn,
  isObject,
  type JsonObject,
  sameJson,
  sameMembers,
  setOwn,
} from "./json-value.ts";

test("a large value is frozen in steps, down to its last part", () => {
  const items = Array.from({ length: 2_000 }, (_, at) => ({ at, inner: [{ at }] }));
  const value = { items, map: Object.fromEntries(items.map(({ at }) => [`k${at}`, "v"])) };
  const steps = freezeInSteps(value);
  let taken = 0;
  while (!steps.next().done) taken++;
  expect(taken).toBeGreaterThan(8);
  expect([value, value.items, value.map, ...items, ...items.flatMap(({ inner }) => inner)].every(Object.isFrozen)).toBe(
    true,
  );
});

describe("sameJson", () => {
  const cases: readonly { why: string; a: unknown; b: unknown; same: boolean }[] = [
    { why: "the order of keys does not matter", a: { x: 1, y: [2] }, b: { y: [2], x: 1 }, same: true },
    { why: "the order of items matters", a: [1, 2], b: [2, 1], same: false },
    { why: "undefined is absent", a: { x: undefined, y: 1 }, b: { y: 1 }, same: true },
    { why: "undefined does not equal another member", a: { x: undefined, y: 1 }, b: { y: 1, z: 1 }, same: false },
    { why: "null is a value", a: { x: null }, b: {}, same: false },
    { why: "an empty list is a value", a: { x: [] }, b: {}, same: false },
    { why: "a list is not an object", a: [], b: {}, same: false },
    { why: "members of the prototype are ignored", a: { constructor: 1 }, b: { other: 1 }, same: false },
    { why: "__proto__ is a member like any other", a: JSON.parse('{"__proto__":{}}'), b: { other: 1 }, same: false },
  ];
  for (const { why, a, b, same } of cases) {
    test(why, () => {
      expect(sameJson(a, b)).toBe(same);
      expect(sameJson(b, a)).toBe(same);
    });
  }

  test("a copy is equal, and differs after any change", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const copy = copyJson(value);
        expect(sameJson(value, copy)).toBe(true);
        expect(sameJson(value, [copy])).toBe(false);
        if (!isObject(copy)) return;
        setOwn(copy, "one more", 1);
        if (!isObject(value) || getOwn(value, "one more") !== 1) expect(sameJson(value, copy)).toBe(false);
      }),
      { numRuns: 200 },
    );
  });
});

test("sameMembers ignores the named members on both sides", () => {
  const except = new Set(["status"]);
  expect(sameMembers({ spec: 1, status: 1 }, { spec: 1 }, except)).toBe(true);
  expect(sameMembers({ spec: 1 }, { spec: 1, status: 2 }, except)).toBe(true);
  expect(sameMembers({ spec: 1 }, { spec: 2 }, except)).toBe(false);
});

test("a member may have any name, and is never taken from the prototype", () => {
  const object: JsonObject = {};
  setOwn(object, "__proto__", { polluted: true });
  expect(Object.keys(object)).toEqual(["__proto__"]);
  expect(getOwn(object, "__proto__")).toEqual({ polluted: true });
  expect(getOwn(object, "toString")).toBeUndefined();
  expect("polluted" in {}).toBe(false);
});
