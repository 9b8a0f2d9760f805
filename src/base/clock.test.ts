import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { holdingClock, systemClock } from "./clock.ts";

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
