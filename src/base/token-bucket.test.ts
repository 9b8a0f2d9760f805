import { expect, test } from "vitest";
import { createTokenBucket } from "./token-bucket.ts";

test("a full bucket allows its burst, and then one for each new token", () => {
  const bucket = createTokenBucket({ perSecond: 2, burst: 3 }, 1_000);
  expect([1, 2, 3, 4].map(() => bucket.take(1_000))).toEqual([true, true, true, false]);
  expect(bucket.take(1_499)).toBe(false);
  expect(bucket.take(1_500)).toBe(true);
  expect(bucket.take(1_500)).toBe(false);
});

test("a bucket never holds more than its burst", () => {
  const bucket = createTokenBucket({ perSecond: 100, burst: 2 }, 0);
  expect([1, 2, 3].map(() => bucket.take(1_000_000))).toEqual([true, true, false]);
});

test("a clock that goes back adds no tokens", () => {
  const bucket = createTokenBucket({ perSecond: 1, burst: 1 }, 10_000);
  expect(bucket.take(5_000)).toBe(true);
  expect(bucket.take(1_000)).toBe(false);
  expect(bucket.take(2_000)).toBe(true);
});

test("tokens that are still to come are given in advance, each once", () => {
  const bucket = createTokenBucket({ perSecond: 10, burst: 2 }, 0);
  expect([1, 2, 3, 4].map(() => bucket.reserve(0))).toEqual([0, 0, 100, 200]);
  expect(bucket.reserve(200)).toBe(100);
  expect(bucket.take(300)).toBe(false);
  expect(bucket.reserve(1_000)).toBe(0);
});
