import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { holdingClock, lookAgainMs, systemClock, waitLeftMs } from "./clock.ts";

const hourMs = 3_600_000;

describe("a timer of the system", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test("of 1000 hours, more than a timer of Node can measure, is due after 1000 hours", () => {
    for (const clock of [systemClock, holdingClock]) {
      const callback = vi.fn();
      clock.after(1000 * hourMs, callback);
      vi.advanceTimersByTime(1000 * hourMs - 1);
      expect(callback).not.toHaveBeenCalled();
      vi.advanceTimersByTime(1);
      expect(callback).toHaveBeenCalledTimes(1);
    }
  });

  test("can be cancelled after its first part", () => {
    const callback = vi.fn();
    const cancel = systemClock.after(1000 * hourMs, callback);
    vi.advanceTimersByTime(900 * hourMs);
    cancel();
    vi.advanceTimersByTime(200 * hourMs);
    expect(callback).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });
});

test("a clock that was set back does not make a wait endless", () => {
  const left = (nowMs: number) => waitLeftMs(100 * hourMs, hourMs, nowMs);
  expect([left(100 * hourMs), left(100.5 * hourMs), left(102 * hourMs)]).toEqual([hourMs, hourMs / 2, 0]);
  // Two machines do not have quite the same time.
  expect([left(99.9 * hourMs) / hourMs, left(50 * hourMs), left(0)]).toEqual([expect.closeTo(1.1), 0, 0]);
  expect([lookAgainMs(hourMs / 2, hourMs), lookAgainMs(1_000 * hourMs, hourMs)]).toEqual([hourMs / 2, hourMs]);
});
