/** Logs a trace of each request that took long: its steps, and how many milliseconds each of them took. */

import type { Call } from "../request/call.ts";
import type { ServerContext } from "../server/context.ts";
import type { Filter } from "./filter.ts";

/** When everything is slow, a line for each request would not help: further ones are counted in the next line. */
export const slowTracesPerSecondMax = 10;

export function slowRequests({ log, limits }: Pick<ServerContext, "log" | "limits">): Filter {
  const { slowRequestMs } = limits;
  if (slowRequestMs <= 0) return {};
  let secondBegan = Number.NEGATIVE_INFINITY;
  let inSecond = 0;
  let leftOut = 0;
  return {
    leave(call) {
      const now = call.endedMs;
      if (now - call.startedMs < slowRequestMs || call.isLongRunning) return;
      if (now - secondBegan >= 1_000) {
        secondBegan = now;
        inSecond = 0;
      }
      inSecond += 1;
      if (inSecond > slowTracesPerSecondMax) {
        leftOut += 1;
        return;
      }
      log.warn("trace: slow request", { ...factsOf(call, now), ...(leftOut > 0 ? { leftOut } : {}) });
      leftOut = 0;
    },
  };
}

function factsOf(call: Call, now: number): Record<string, unknown> {
  const { method, status, remoteAddress } = call.exchange;
  return {
    method,
    path: call.info.path, // queries may hold credentials
    verb: call.verb,
    user: call.user.name,
    code: status,
    ms: Math.round(now - call.startedMs),
    steps: durationsOf(call, now),
    ...(remoteAddress === "" ? {} : { from: remoteAddress }),
    auditId: call.auditId,
  };
}

/** A step that happened several times, as admission does, is counted together. What follows the last one is the answer. */
function durationsOf(call: Call, now: number): Record<string, number> {
  const durations: Record<string, number> = {};
  let since = call.startedMs;
  for (const { step, endedMs } of [...call.steps, { step: "encode", endedMs: now }]) {
    durations[step] = (durations[step] ?? 0) + endedMs - since;
    since = endedMs;
  }
  return Object.fromEntries(Object.entries(durations).map(([step, ms]) => [step, Math.round(ms)]));
}
