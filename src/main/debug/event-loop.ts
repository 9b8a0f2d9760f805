/** GET /debug/event-loop: how late the event loop was since the start, and how busy it is. */

import type { DebugPage } from "./routes.ts";

const percentiles = [50, 75, 90, 95, 99, 99.9, 100];
const msOf = (nanoseconds: number) => Math.round(nanoseconds / 1_000) / 1_000;

export const eventLoop: DebugPage = {
  path: "/debug/event-loop",
  about: "delay of the event loop since the start in milliseconds, and the share of time in which it was busy",
  async answer(_exchange, { delay, startedUtilization }) {
    const busy = performance.eventLoopUtilization(startedUtilization);
    return {
      body: {
        delayMs: {
          count: delay.count,
          min: delay.count === 0 ? 0 : msOf(delay.min),
          max: msOf(delay.max),
          mean: delay.count === 0 ? 0 : msOf(delay.mean),
          percentiles: Object.fromEntries(percentiles.map((each) => [each, msOf(delay.percentile(each))])),
        },
        utilization: busy.utilization,
        uptimeSeconds: Math.round(process.uptime()),
      },
    };
  },
};
