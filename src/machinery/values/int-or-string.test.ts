import { expect, test } from "vitest";
import { parseIntOrString } from "./int-or-string.ts";

test("texts and whole numbers of 32 bits are taken, anything else is not", () => {
  expect(["http", "", 0, -1, 2 ** 31 - 1].map(parseIntOrString)).toEqual(["http", "", 0, -1, 2 ** 31 - 1]);
  expect([1.5, 2 ** 31, true, null, undefined, {}, 1n].map(parseIntOrString)).toEqual(Array(7).fill(undefined));
});
