import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { busyWrites, DeliveryWindows, quietMs, windowMs } from "./delivery-windows.ts";

/** Windows in which so much was written that watchers wait. `writing`: the writes in progress. */
function busyWindows(writing = { used: 0 }): DeliveryWindows {
  const windows = new DeliveryWindows(writing);
  windows.called(busyWrites);
  return windows;
}

function endWindow(windows: DeliveryWindows): void {
  const begun = windows.current;
  while (windows.current === begun) vi.advanceTimersByTime(1);
}

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

describe("windows of deliveries", () => {
  test("make no watcher wait while little is delivered", () => {
    const windows = new DeliveryWindows({ used: 0 });
    for (let write = 1; write < busyWrites; write++) expect(windows.mustGather(windows.called(1))).toBe(false);
    expect(windows.mustGather(windows.called(1))).toBe(true);
  });

  test("make no watcher wait that was not called in this window or the one before", () => {
    const windows = busyWindows();
    const calledIn = windows.called(1);
    expect(windows.mustGather(calledIn)).toBe(true);
    for (let past = 0; past < 2; past++) {
      expect(windows.mustGather(calledIn)).toBe(true);
      windows.add({ flush: () => void windows.called(busyWrites) });
      endWindow(windows);
    }
    expect([windows.mustGather(calledIn), windows.mustGather(windows.called(1))]).toEqual([false, true]);
  });

  test("leave no timer behind when nothing is delivered", () => {
    const windows = busyWindows();
    endWindow(windows);
    const idle = windows.current;
    vi.advanceTimersByTime(1_000);
    expect([windows.current, vi.getTimerCount()]).toEqual([idle, 0]);
  });

  test("make no watcher wait after one in which nothing came", () => {
    const windows = busyWindows();
    expect(windows.mustGather(windows.called(1))).toBe(true);
    endWindow(windows);
    expect(windows.mustGather(windows.called(1))).toBe(false);
  });
});

describe("a window of deliveries", () => {
  /** Watchers that wait in a window that has just begun. */
  function waitingIn(windows: DeliveryWindows) {
    const waiting = { flush: vi.fn(() => void windows.called(busyWrites)) };
    windows.add(waiting);
    return { waiting, flushed: () => waiting.flush.mock.calls.length };
  }

  test("ends soon after the last event of a burst", () => {
    const windows = busyWindows();
    const { flushed } = waitingIn(windows);
    vi.advanceTimersByTime(quietMs);
    windows.gathered();
    vi.advanceTimersByTime(quietMs);
    expect(flushed()).toBe(0);
    vi.advanceTimersByTime(quietMs);
    expect(flushed()).toBe(1);
  });

  test("does not end in the short pause of a client that writes one object after the other", () => {
    const writing = { used: 1 };
    const { flushed } = waitingIn(busyWindows(writing));
    vi.advanceTimersByTime(quietMs + 1);
    writing.used = 0;
    vi.advanceTimersByTime(quietMs - 1);
    expect(flushed()).toBe(0);
    vi.advanceTimersByTime(1);
    expect(flushed()).toBe(1);
  });

  test("does not end early while a write is in progress, whose event is still to come", () => {
    const writing = { used: 1 };
    const windows = busyWindows(writing);
    const { flushed } = waitingIn(windows);
    vi.advanceTimersByTime(windowMs - 2 * quietMs);
    expect(flushed()).toBe(0);
    windows.gathered();
    writing.used = 0;
    vi.advanceTimersByTime(2 * quietMs);
    expect(flushed()).toBe(1);
  });

  test("ends although a write stays in progress", () => {
    const { flushed } = waitingIn(busyWindows({ used: 1 }));
    vi.advanceTimersByTime(windowMs);
    expect(flushed()).toBe(1);
  });

  test("ends although events still come, so that none waits for long", () => {
    const windows = busyWindows();
    const { flushed } = waitingIn(windows);
    for (let past = 0; past < windowMs; past += 2) {
      expect(flushed()).toBe(0);
      windows.gathered();
      vi.advanceTimersByTime(2);
    }
    expect(flushed()).toBe(1);
  });

  test("is followed by another as long as events come", () => {
    const windows = busyWindows();
    const { waiting, flushed } = waitingIn(windows);
    vi.advanceTimersByTime(windowMs);
    windows.add(waiting);
    expect(flushed()).toBe(1);
    vi.advanceTimersByTime(windowMs);
    expect(flushed()).toBe(2);
    vi.advanceTimersByTime(1_000);
    expect(windows.mustGather(windows.called(1))).toBe(false);
  });
});
