/** Measures how late timers run: how long a client waits because other work keeps the event loop busy. */

import { performance } from "node:perf_hooks";
import { Histogram, type Metric, Reading } from "../base/metrics.ts";
import { eventLoopActive, eventLoopDelay } from "./process.ts";

/** How often the delay is sampled: while the process works, and while it is idle, so that sampling does not keep it busy. */
const sampleMs = 100;
const idleSampleMs = 1_000;
/** A process whose event loop was busy for less than this share of the last interval is idle. */
const idleShareMax = 0.02;

interface EventLoopWatch {
  readonly all: readonly Metric[];
  close(): void;
}

/** One timer of the process, which does not keep it alive. */
export function watchEventLoop(): EventLoopWatch {
  const delay = new Histogram(eventLoopDelay);
  const series = delay.series();
  let timer: NodeJS.Timeout;
  let before = performance.eventLoopUtilization();
  const sampleAfter = (ms: number) => {
    const dueMs = performance.now() + ms;
    timer = setTimeout(() => {
      delay.observe(series, Math.max(0, performance.now() - dueMs) / 1_000);
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, before);
      before = now;
      sampleAfter(utilization < idleShareMax ? idleSampleMs : sampleMs);
    }, ms).unref();
  };
  sampleAfter(sampleMs);
  const active = new Reading(eventLoopActive, () => [["", performance.eventLoopUtilization().active / 1_000]]);
  return { all: [delay, active], close: () => clearTimeout(timer) };
}
