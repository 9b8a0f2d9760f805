import fc from "fast-check";
import { expect, test } from "vitest";
import { printMap, quote } from "./members.ts";

test("a text is quoted as JSON quotes it", () => {
  const unit = fc.oneof(fc.integer({ min: 0, max: 0x80 }), fc.integer({ min: 0, max: 0xffff }));
  fc.assert(
    fc.property(fc.array(unit), (units) => {
      const text = String.fromCharCode(...units);
      expect(quote(text)).toBe(JSON.stringify(text));
    }),
  );
});

test("each request shows its own annotations, also after one with others", () => {
  const maps = [{}, { a: "1" }, { a: "2" }, { a: "2", b: '"' }, { b: '"', a: "2" }, { a: "2" }];
  expect(maps.map((map) => printMap(Object.entries(map).flat()))).toEqual(maps.map((map) => JSON.stringify(map)));
});
