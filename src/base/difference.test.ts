import fc from "fast-check";
import { expect, test } from "vitest";
import { applyDifference, differenceOf } from "./difference.ts";

const bytes = (text: string) => new Uint8Array(Buffer.from(text));

test("a difference gives the target back, whatever both are", () => {
  const word = fc.constantFrom(
    "a",
    "bc",
    "status: ready",
    "a piece that is longer than a block",
    "\u0000\u00ff",
    "x".repeat(40),
  );
  const text = fc.array(word, { maxLength: 30 }).map((words) => words.join(""));
  fc.assert(
    fc.property(text, text, (base, target) => {
      const difference = differenceOf(bytes(base), bytes(target));
      expect(Buffer.from(applyDifference(bytes(base), difference)).toString()).toBe(target);
      expect(difference.length).toBeLessThanOrEqual(target.length + 20);
    }),
    { numRuns: 500 },
  );
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.uint8Array({ maxLength: 200 }), (base, target) => {
      expect(applyDifference(base, differenceOf(base, target))).toEqual(target);
    }),
  );
});

test("a few changed fields of a large object take few bytes", () => {
  const object = (ready: number, time: string) =>
    JSON.stringify({
      metadata: {
        name: "web",
        managedFields: [{ time, fields: Array.from({ length: 60 }, (_, at) => `f:field-${at}`) }],
      },
      spec: { containers: Array.from({ length: 20 }, (_, at) => ({ name: `c${at}`, image: `image-${at}:1` })) },
      status: { ready, conditions: [{ type: "Ready", status: "True", lastTransitionTime: time }] },
    });
  const [before, after] = [bytes(object(1, "2026-11-18T10:00:00Z")), bytes(object(2, "2026-11-18T10:05:31Z"))];
  expect(before.length).toBeGreaterThan(1_500);
  expect(differenceOf(after, before).length).toBeLessThan(120);
});

test("bytes that repeat nothing of the base are hardly larger", () => {
  const random = (seed: number) =>
    Uint8Array.from({ length: 3_000 }, (_, at) => (Math.imul(at + seed, 0x9e3779b1) >>> 11) & 0xff);
  expect(differenceOf(random(1), random(90_000)).length).toBeLessThanOrEqual(3_020);
});

test("a difference to another base, or a part of one, is refused", () => {
  const [base, target] = [bytes("0123456789abcdef".repeat(20)), bytes("0123456789abcdef".repeat(19))];
  const difference = differenceOf(base, target);
  expect(() => applyDifference(bytes("short"), difference)).toThrow(RangeError);
  expect(() => applyDifference(base, difference.subarray(0, difference.length - 1))).toThrow(RangeError);
});
