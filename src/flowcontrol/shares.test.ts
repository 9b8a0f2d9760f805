import { expect, test } from "vitest";
import { divide, totalSeats } from "./shares.ts";

const cases: [why: string, total: number, shares: number[], expected: number[]][] = [
  [
    "the built-in levels of a server with its default limits",
    600,
    [5, 30, 10, 40, 100, 20],
    [15, 88, 30, 118, 293, 59],
  ],
  ["one level gets everything", 600, [5], [600]],
  ["each gets at least one", 3, [1, 1, 100], [1, 1, 3]],
  ["an exempt level gets nothing", 10, [0, 5], [0, 10]],
  ["a server without a limit", Number.POSITIVE_INFINITY, [5, 30], [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]],
  ["no levels", 10, [], []],
];
test.each(cases)("%s", (_why, total, shares, expected) => expect(divide(total, shares)).toEqual(expected));

test.each([
  [[400, 200], 600],
  [[Number.POSITIVE_INFINITY, 200], 200],
  [[400, Number.POSITIVE_INFINITY], 400],
  [[Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY], Number.POSITIVE_INFINITY],
])("of limits %j, %s requests are executed at once", (limits, expected) => expect(totalSeats(limits)).toBe(expected));
