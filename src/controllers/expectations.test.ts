import { expect, test } from "vitest";
import { createManualClock } from "../base/clock.ts";
import { createExpectations, expectationTimeoutMs } from "./expectations.ts";

test("a controller waits until all that it made was seen", () => {
  const expectations = createExpectations(createManualClock(0));
  expect(expectations.satisfied("a")).toBe(true);
  expectations.expectCreations("a", 2);
  expectations.creationObserved("a");
  expect(expectations.satisfied("a")).toBe(false);
  expect(expectations.satisfied("b")).toBe(true);
  expectations.creationObserved("a");
  expect(expectations.satisfied("a")).toBe(true);
});

test("it waits until each object that it deleted is gone, even if a deletion is observed repeatedly", () => {
  const expectations = createExpectations(createManualClock(0));
  expectations.expectDeletions("a", ["ns/p1", "ns/p2"]);
  expectations.deletionObserved("a", "ns/p1");
  expectations.deletionObserved("a", "ns/p1");
  expectations.deletionObserved("a", "ns/other");
  expect(expectations.satisfied("a")).toBe(false);
  expectations.deletionObserved("a", "ns/p2");
  expect(expectations.satisfied("a")).toBe(true);
});

test("what is seen without having been expected counts for nothing", () => {
  const expectations = createExpectations(createManualClock(0));
  expectations.creationObserved("a");
  expectations.expectCreations("a", 1);
  expect(expectations.satisfied("a")).toBe(false);
});

test("a lost event holds a controller up for a limited time", () => {
  const clock = createManualClock(0);
  const expectations = createExpectations(clock);
  expectations.expectCreations("a", 1);
  clock.advance(expectationTimeoutMs);
  expect(expectations.satisfied("a")).toBe(false);
  clock.advance(1);
  expect(expectations.satisfied("a")).toBe(true);
});

test("nothing is expected of an owner that is gone", () => {
  const expectations = createExpectations(createManualClock(0));
  expectations.expectCreations("a", 1);
  expectations.forget("a");
  expect(expectations.satisfied("a")).toBe(true);
});
