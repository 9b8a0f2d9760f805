import { expect, test } from "vitest";
import { compareInt64, int64Of, nextInt64, parseInt64, parseIntOrString, secondsMs } from "./integer.ts";

test("a whole number of 64 bits is read, and nothing else", () => {
  expect(["0", "-0", "+7", "007", "-7"].map(parseInt64)).toEqual([0n, 0n, 7n, 7n, -7n]);
  expect(["9223372036854775807", "-9223372036854775808"].map(parseInt64)).toEqual([2n ** 63n - 1n, -(2n ** 63n)]);
  const wrong = ["", "-", "+", "1.0", "1e3", " 1", "0x1", "many", "9223372036854775808", "-9223372036854775809"];
  expect(wrong.map(parseInt64)).toEqual(wrong.map(() => undefined));
  expect(parseInt64("0".repeat(65))).toBeUndefined();
});

test("only texts and whole numbers of 32 bits are accepted", () => {
  expect(["http", "", 0, -1, 2 ** 31 - 1].map(parseIntOrString)).toEqual(["http", "", 0, -1, 2 ** 31 - 1]);
  expect([1.5, 2 ** 31, true, null, undefined, {}, 1n].map(parseIntOrString)).toEqual(Array(7).fill(undefined));
});

test("a field of 64 bits is a number where that is exact, and counts on after that", () => {
  const last = int64Of(2n ** 53n - 1n);
  expect([last, nextInt64(last), nextInt64(nextInt64(last))]).toEqual([2 ** 53 - 1, 2n ** 53n, 2n ** 53n + 1n]);
  expect(nextInt64(int64Of(2n ** 63n - 1n))).toBe(-(2n ** 63n));
  const fields = [int64Of(2n ** 60n), 7, int64Of(-(2n ** 60n)), int64Of(2n ** 60n + 1n)];
  expect(fields.sort(compareInt64)).toEqual([-(2n ** 60n), 7, 2n ** 60n, 2n ** 60n + 1n]);
  expect([secondsMs(2), secondsMs(int64Of(2n ** 60n))]).toEqual([2_000, 2 ** 60 * 1_000]);
});
