/** A clock that stands still until it is moved; timers that fall due run in order. */

import type { Clock } from "../base/clock.ts";

export interface VirtualClock extends Clock {
  /** When the next timer is due; undefined: none waits. */
  next(): number | undefined;
  /** Moves to the next timer and runs it. False: none waits. */
  runNext(): boolean;
  /** Moves to the next timer and runs all that wait for the same moment; not those that they set. False: none waits. */
  runMoment(): boolean;
  /** Moves on without running timers; never back. */
  moveTo(ms: number): void;
  /** Another clock that begins at this time, without timers. */
  fork(): VirtualClock;
}

interface Timer {
  readonly at: number;
  /** Timers of one moment run in the order in which they were set. */
  readonly order: number;
  /** Undefined: cancelled. */
  callback: (() => void) | undefined;
}

/** A heap that is mostly cancelled timers is cleaned. */
const cancelledMax = 1_000;

export function createVirtualClock(startMs: number): VirtualClock {
  let now = startMs;
  let order = 0;
  let cancelled = 0;
  let heap: Timer[] = [];

  const isBefore = (a: Timer, b: Timer) => a.at < b.at || (a.at === b.at && a.order < b.order);
  const swap = (a: number, b: number) => {
    [heap[a], heap[b]] = [heap[b]!, heap[a]!];
  };
  const push = (timer: Timer) => {
    let at = heap.push(timer) - 1;
    for (; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (!isBefore(heap[at]!, heap[parent]!)) return;
      swap(at, parent);
      at = parent;
    }
  };
  const pop = (): Timer | undefined => {
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    heap[0] = last;
    for (let at = 0; ; ) {
      let least = at;
      for (const child of [2 * at + 1, 2 * at + 2])
        if (child < heap.length && isBefore(heap[child]!, heap[least]!)) least = child;
      if (least === at) return first;
      swap(at, least);
      at = least;
    }
  };
  const dropCancelled = () => {
    while (heap.length > 0 && heap[0]!.callback === undefined) {
      pop();
      cancelled--;
    }
  };

  const runNext = (): boolean => {
    dropCancelled();
    const timer = pop();
    if (timer === undefined) return false;
    now = Math.max(now, timer.at);
    const { callback } = timer;
    timer.callback = undefined; // cancelling it from now on does nothing
    callback?.();
    return true;
  };

  return {
    now: () => now,
    monotonic: () => now,
    after(ms, callback) {
      const timer: Timer = { at: now + Math.max(0, ms), order: order++, callback };
      push(timer);
      return () => {
        if (timer.callback === undefined) return;
        timer.callback = undefined;
        cancelled++;
        if (cancelled < cancelledMax || cancelled * 2 < heap.length) return;
        const waiting = heap.filter((each) => each.callback !== undefined);
        heap = [];
        cancelled = 0;
        for (const each of waiting) push(each);
      };
    },
    next() {
      dropCancelled();
      return heap[0]?.at;
    },
    runNext,
    runMoment() {
      dropCancelled();
      const moment = heap[0]?.at;
      if (moment === undefined) return false;
      for (const setBefore = order; heap[0]?.at === moment && heap[0].order < setBefore; dropCancelled()) runNext();
      return true;
    },
    moveTo(ms) {
      now = Math.max(now, ms);
    },
    fork: () => createVirtualClock(now),
  };
}
