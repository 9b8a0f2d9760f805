import fc from "fast-check";
import { expect, test } from "vitest";
import { sharedDepthMax, shareParts } from "./share-parts.ts";

test("equal parts are those of the object before, and different ones stay", () => {
  const before = { a: { x: [1, { y: "z" }] }, b: { c: 1 }, d: [1, 2] };
  const next = { a: { x: [1, { y: "z" }] }, b: { c: 2 }, d: [1, 2, 3] };
  const shared = shareParts(before, next);
  expect(shared).toEqual({ a: { x: [1, { y: "z" }] }, b: { c: 2 }, d: [1, 2, 3] });
  expect(shared).toBe(next);
  expect(shared.a).toBe(before.a);
  expect(before).toEqual({ a: { x: [1, { y: "z" }] }, b: { c: 1 }, d: [1, 2] });
});

test("no value is changed by it, whatever the two objects are", () => {
  const json = fc.jsonValue({ maxDepth: 4 });
  fc.assert(
    fc.property(json, json, (before, next) => {
      const [old, own] = [JSON.stringify(before), JSON.stringify(next)];
      expect(shareParts(JSON.parse(old), JSON.parse(own))).toEqual(JSON.parse(own));
      const copy: unknown = JSON.parse(own);
      const same: unknown = JSON.parse(own);
      if (typeof copy === "object" && !own.includes("__proto__")) expect(shareParts(copy, same)).toBe(copy);
    }),
  );
});

test("what is nested too deep is left alone, and a member named __proto__ changes no prototype", () => {
  const nested = (depth: number): unknown => JSON.parse(`${'{"a":'.repeat(depth)}{}${"}".repeat(depth)}`);
  expect(shareParts(nested(100_000), nested(100_000))).toBeDefined();
  const one = nested(sharedDepthMax - 1);
  expect(shareParts(one, nested(sharedDepthMax - 1))).toBe(one);
  expect(shareParts(nested(sharedDepthMax), nested(sharedDepthMax))).toEqual(nested(sharedDepthMax));
  const text = '{"__proto__":{"polluted":1},"b":[1]}';
  const odd = shareParts(JSON.parse(text), JSON.parse(text)) as object;
  expect([Object.getPrototypeOf(odd) === Object.prototype, JSON.stringify(odd)]).toEqual([true, text]);
});
