import { expect, test } from "vitest";
import { printRaw, printSorted } from "./go-json.ts";

const rows = [
  { why: "members are sorted", value: { b: 1, a: { d: [], c: {} } }, text: '{"a":{"c":{},"d":[]},"b":1}' },
  { why: "names that look like positions too", value: { 2: "y", 10: "x" }, text: '{"10":"x","2":"y"}' },
  { why: "by their bytes", value: { "\u{1f600}": 1, "\ufffd": 2 }, text: '{"\ufffd":2,"\u{1f600}":1}' },
  {
    why: "characters of HTML are escaped",
    value: ["a < b && c\u2028"],
    text: '["a \\u003c b \\u0026\\u0026 c\\u2028"]',
  },
  { why: "what is absent is left out", value: { a: undefined, b: null }, text: '{"b":null}' },
  {
    why: "integers are exact",
    value: { a: 2n ** 63n - 1n, b: new Number(1) },
    text: '{"a":9223372036854775807,"b":1}',
  },
];
for (const { why, value, text } of rows) test(`${text}: ${why}`, () => expect(printSorted(value)).toBe(text));

test("lines are indented as those of other tools", () => {
  const value = { b: [1, { c: "x" }], a: {}, d: [] };
  expect(printSorted(value, "  ")).toBe(JSON.stringify({ a: {}, b: [1, { c: "x" }], d: [] }, null, 2));
});

test("a raw value keeps the order of its members, unless one looks like a position", () => {
  expect(printRaw({ b: { z: 1, y: "<" }, a: 2 })).toBe('{"b":{"z":1,"y":"\\u003c"},"a":2}');
  expect(printRaw({ b: { a: 1, 2: 3, 10: 4 }, a: 2 })).toBe('{"b":{"10":4,"2":3,"a":1},"a":2}');
});
