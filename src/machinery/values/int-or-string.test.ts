import { expect, test } from "vitest";
import { parseIntOrString, percentOf, scaledIntOrPercent } from "./int-or-string.ts";

test("texts and whole numbers of 32 bits are taken, anything else is not", () => {
  expect(["http", "", 0, -1, 2 ** 31 - 1].map(parseIntOrString)).toEqual(["http", "", 0, -1, 2 ** 31 - 1]);
  expect([1.5, 2 ** 31, true, null, undefined, {}, 1n].map(parseIntOrString)).toEqual(Array(7).fill(undefined));
});

test("a percentage is a whole number and a per cent sign", () => {
  expect(["25%", "100%", "-1%", "25", "2.5%", "%", "x%", 5].map(percentOf)).toEqual([
    25,
    100,
    -1,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

test("percentages are scaled to the total and rounded as asked", () => {
  expect(scaledIntOrPercent("25%", { total: 10, roundUp: true })).toBe(3);
  expect(scaledIntOrPercent("25%", { total: 10, roundUp: false })).toBe(2);
  expect(scaledIntOrPercent(7, { total: 10, roundUp: true })).toBe(7);
  expect(scaledIntOrPercent("x", { total: 10, roundUp: true })).toBeUndefined();
});
