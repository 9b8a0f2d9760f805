/** Measures how late timers run: how long a client waits because other work keeps the event loop busy. */

import { performance } from "node:perf_hooks";
import { Histogram, type Metric, Reading } from "../base/metrics.ts";
import { eventLoopActive, eventLoopDelay } from "./process.ts";

/** How often the delay is sampled. */
export const sampleMs = 100;

export interface EventLoopWatch {
  readonly all: readonly Metric[];
  close(): void;
}

/** One timer of the process, which does not keep it alive. */
export function watchEventLoop(): EventLoopWatch {
  const delay = new Histogram(eventLoopDelay);
  const series = delay.series();
  let dueMs = performance.now() + sampleMs;
  const timer = setInterval(() => {
    const nowMs = performance.now();
    delay.observe(series, Math.max(0, nowMs - dueMs) / 1_000);
    dueMs = nowMs + sampleMs;
  }, sampleMs).unref();
  const active = new Reading(eventLoopActive, () => [["", performance.eventLoopUtilization().active / 1_000]]);
  return { all: [delay, active], close: () => clearInterval(timer) };
}
