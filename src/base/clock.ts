/** Time as a value that can be passed in, so that a test can move it. */

/**
 * What time it is, and who is called later.
 * @example
 * const clock: Clock = server.clock;
 */
export interface Clock {
  /** Milliseconds since 1970, as Date.now(). Only for times that people see and for expiry. */
  now(): number;
  /** Milliseconds that never go back; for durations and deadlines. */
  monotonic(): number;
  /** Calls back once after `ms`; the returned function cancels it. A pending timer never keeps the process alive. */
  after(ms: number, callback: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after: (ms, callback) => startTimer(ms, callback, (timer) => timer.unref()),
};

/** A pending timer of this clock keeps the process alive: for programs that have nothing else to wait for. */
export const holdingClock: Clock = {
  ...systemClock,
  after: (ms, callback) => startTimer(ms, callback),
};

/**
 * The time of the wall clock as it is now, moved on by the monotonic clock: when somebody sets the wall clock, what is compared with
 * earlier results of this function does not notice.
 */
export function createSteadyTime(clock: Clock): () => number {
  const offsetMs = clock.now() - clock.monotonic();
  return () => offsetMs + clock.monotonic();
}

/**
 * What is left of a wait that began at a time of the wall clock, which somebody may have set back since: then it is never longer than twice
 * the wait itself, and a beginning that is even further ahead says nothing, so that nothing is left.
 */
export function waitLeftMs(beganMs: number, waitMs: number, nowMs: number): number {
  const leftMs = beganMs + waitMs - nowMs;
  return leftMs > 2 * waitMs ? 0 : Math.max(0, leftMs);
}

/** When to look again whether a time that is `leftMs` away has come: after `waitMs` at the latest, if the wall clock was set back. */
export const lookAgainMs = (leftMs: number, waitMs: number): number => Math.min(leftMs, waitMs);

type Timer = ReturnType<typeof setTimeout>;

/** The longest delay of Node's timers, about 25 days: one with a longer delay is due at once. */
const timerMsMax = 2 ** 31 - 1;

/** A longer delay is measured by several timers, one after the other. */
function startTimer(ms: number, callback: () => void, prepare: (timer: Timer) => void = () => {}): () => void {
  let timer: Timer;
  const start = (leftMs: number) => {
    const isLong = leftMs > timerMsMax;
    timer = isLong ? setTimeout(() => start(leftMs - timerMsMax), timerMsMax) : setTimeout(callback, leftMs);
    prepare(timer);
  };
  start(ms);
  return () => clearTimeout(timer);
}

/** Resolves after `ms`; rejects with the signal's reason when it aborts before. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = () => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = clock.after(ms, () => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    });
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

/** A clock that stands still until `advance` is called; timers that fall due run in order. */
export function createManualClock(startMs: number): Clock & { advance(ms: number): void } {
  let now = startMs;
  let timers: { at: number; callback: () => void }[] = [];
  return {
    now: () => now,
    monotonic: () => now,
    after(ms, callback) {
      const timer = { at: now + ms, callback };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    advance(ms) {
      const end = now + ms;
      for (;;) {
        const due = timers.filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)[0];
        if (due === undefined) break;
        timers = timers.filter((other) => other !== due);
        now = Math.max(now, due.at);
        due.callback();
      }
      now = end;
    },
  };
}
