import { expect, test } from "vitest";
import { createManualClock } from "../../../base/clock.ts";
import { createExpectations, expectationTimeoutMs } from "./expectations.ts";

test("a controller waits until all objects that it created were observed", () => {
  const expectations = createExpectations(createManualClock(0));
  expect(expectations.satisfied("a")).toBe(true);
  expectations.expectCreations("a", 2);
  expectations.creationObserved("a");
  expect(expectations.satisfied("a")).toBe(false);
  expect(expectations.satisfied("b")).toBe(true);
  expectations.creationObserved("a");
  expect(expectations.satisfied("a")).toBe(true);
});

test("it waits until each deletion was observed, even if one is observed repeatedly", () => {
  const expectations = createExpectations(createManualClock(0));
  expectations.expectDeletions("a", ["ns/p1", "ns/p2"]);
  expectations.deletionObserved("a", "ns/p1");
  expectations.deletionObserved("a", "ns/p1");
  expectations.deletionObserved("a", "ns/other");
  expect(expectations.satisfied("a")).toBe(false);
  expectations.deletionObserved("a", "ns/p2");
  expect(expectations.satisfied("a")).toBe(true);
});

test("unexpected observations are ignored", () => {
  const expectations = createExpectations(createManualClock(0));
  expectations.creationObserved("a");
  expectations.expectCreations("a", 1);
  expect(expectations.satisfied("a")).toBe(false);
});

test("a lost event delays a controller for a limited time", () => {
  const clock = createManualClock(0);
  const expectations = createExpectations(clock);
  expectations.expectCreations("a", 1);
  clock.advance(expectationTimeoutMs);
  expect(expectations.satisfied("a")).toBe(false);
  clock.advance(1);
  expect(expectations.satisfied("a")).toBe(true);
});

test("nothing is expected for a deleted owner", () => {
  const expectations = createExpectations(createManualClock(0));
  expectations.expectCreations("a", 1);
  expectations.forget("a");
  expect(expectations.satisfied("a")).toBe(true);
});
