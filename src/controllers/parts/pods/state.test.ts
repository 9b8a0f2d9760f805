import { describe, expect, test } from "vitest";
import { podOf } from "./pod.suite.ts";
import { isPodActive, isPodAvailable, nextAvailableInMs } from "./state.ts";

const readyAt = "2021-05-01T00:00:00Z";
const readyMs = Date.parse(readyAt);

describe("availability", () => {
  const rows = [
    { why: "a ready pod is available at once without minReadySeconds", seconds: 0, afterMs: 0, available: true },
    { why: "a ready pod is not available before minReadySeconds", seconds: 10, afterMs: 10_000, available: false },
    { why: "a ready pod is available after minReadySeconds", seconds: 10, afterMs: 10_001, available: true },
  ];
  for (const { why, seconds, afterMs, available } of rows) {
    test(why, () => expect(isPodAvailable(podOf({ ready: readyAt }), seconds, readyMs + afterMs)).toBe(available));
  }
  test("a pod that is not ready is never available", () => {
    expect(isPodAvailable(podOf({}), 0, readyMs)).toBe(false);
  });
  test("the time when the next pod becomes available is known", () => {
    const pods = [podOf({ ready: readyAt }), podOf({}), podOf({ ready: "2021-05-01T00:01:00Z" })];
    expect(nextAvailableInMs(pods, 10, readyMs + 4_000)).toBe(6_001);
    expect(nextAvailableInMs(pods, 10, readyMs + 20_000)).toBe(50_001);
    expect(nextAvailableInMs(pods, 10, readyMs + 200_000)).toBeUndefined();
  });
});

test("pods that have ended or are being deleted are not active", () => {
  const active = [{}, { phase: "Failed" }, { phase: "Succeeded" }, { deleting: true }].map((parts) =>
    isPodActive(podOf(parts)),
  );
  expect(active).toEqual([true, false, false, false]);
});
