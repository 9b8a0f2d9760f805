import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { finish } from "../../base/time-slice.ts";
import {
  copyInSteps,
  copyJson,
  freezeInSteps,
  getOwn,
  isObject,
  type JsonObject,
  sameJson,
  sameMembers,
  sameMembersInSteps,
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

  test("a copy that is made in steps is the same, and shares nothing", () => {
    const large = Array.from({ length: 60 }, (_, at) => ({ at, inner: [at] }));
    const members = fc.dictionary(fc.constantFrom("a", "b", "__proto__"), fc.oneof(fc.jsonValue(), fc.constant(large)));
    fc.assert(
      fc.property(members, (value) => {
        const many = {
          ...Object.fromEntries(large.map(({ at }) => [`k${at}`, {}])),
          inner: value,
          list: [large, value],
        };
        const copy = finish(copyInSteps(many)) as typeof many; // a copy has the type of what is copied
        expect(copy).toStrictEqual(copyJson(many));
        expect(copy.list[0] === large || copy.inner === value).toBe(false);
      }),
      { numRuns: 100 },
    );
  });

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

describe("a comparison in steps", () => {
  const stepsOf = (a: JsonObject, b: JsonObject) => {
    const steps = sameMembersInSteps(a, b);
    for (let taken = 1; ; taken++) {
      const { done, value } = steps.next();
      if (done) return { same: value, taken };
    }
  };

  test("finds what a comparison at once finds", () => {
    const large = Array.from({ length: 60 }, (_, at) => ({ at, inner: [at] }));
    const values = fc.oneof(fc.jsonValue(), fc.constantFrom(large, [...large, 1], [...large.slice(1), 1], undefined));
    const members = fc.dictionary(fc.constantFrom("a", "b", "__proto__", "constructor"), values);
    fc.assert(
      fc.property(members, members, (a, b) => {
        for (const other of [b, a, copyJson(a)]) expect(stepsOf(a, other).same).toBe(sameMembers(a, other));
      }),
      { numRuns: 300 },
    );
  });

  test("takes a step for each few hundred members, wherever they are", () => {
    const count = 20_000;
    const map = () => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, "v"]));
    const list = () => Array.from({ length: count }, (_, at) => ({ at }));
    for (const make of [map, () => ({ map: map() }), () => ({ list: [list()] })]) {
      const { same, taken } = stepsOf(make(), make());
      expect([same, taken > count / 1_000]).toEqual([true, true]);
    }
  });
});

test("a member may have any name, and is never taken from the prototype", () => {
  const object: JsonObject = {};
  setOwn(object, "__proto__", { polluted: true });
  expect(Object.keys(object)).toEqual(["__proto__"]);
  expect(getOwn(object, "__proto__")).toEqual({ polluted: true });
  expect(getOwn(object, "toString")).toBeUndefined();
  expect("polluted" in {}).toBe(false);
});
