import { expect, test } from "vitest";
import { createManualClock } from "../../base/clock.ts";
import { silentLog } from "../../base/log.ts";
import { Call } from "../request/call.ts";
import { defaultLimits } from "../server/context.ts";
import { createMemoryFetch } from "../transport/memory-exchange.ts";
import { slowRequests, slowTracesPerSecondMax } from "./slow-requests.ts";

async function callTo(target: string, startedMs: number, monotonic: () => number): Promise<Call> {
  let call: Call | undefined;
  const fetch = createMemoryFetch(async (exchange) => {
    call = new Call(exchange, startedMs, { monotonic });
    exchange.send(200, {});
  });
  await fetch(target);
  return call!;
}

function watched(slowRequestMs = defaultLimits.slowRequestMs) {
  const clock = createManualClock(0);
  const traces: Record<string, unknown>[] = [];
  const log = { ...silentLog, warn: (_: string, fields?: Record<string, unknown>) => void traces.push(fields ?? {}) };
  const filter = slowRequests({ log, limits: { ...defaultLimits, slowRequestMs } });
  const leave = (call: Call) => {
    call.endedMs = clock.monotonic();
    filter.leave?.(call);
  };
  return { clock, traces, leave };
}

test("steps of the same name are added up, and the rest is the step of the answer", async () => {
  const { clock, traces, leave } = watched();
  const call = await callTo("/api/v1/pods?token=secret", clock.monotonic(), () => clock.monotonic());
  for (const [step, ms] of [
    ["authentication", 5],
    ["admission", 100],
    ["object", 20],
    ["admission", 300],
    ["store", 70],
  ] as const) {
    clock.advance(ms);
    call.mark(step);
  }
  clock.advance(10);
  leave(call);
  expect(traces).toHaveLength(1);
  expect(traces[0]).toMatchObject({ path: "/api/v1/pods", ms: 505 });
  expect(traces[0]!["steps"]).toEqual({ authentication: 5, admission: 400, object: 20, store: 70, encode: 10 });
});

test("watches, and everything when the threshold is 0, leave no trace", async () => {
  const usual = watched();
  const watch = await callTo("/api/v1/pods?watch=1", usual.clock.monotonic(), () => usual.clock.monotonic());
  usual.clock.advance(60_000);
  usual.leave(watch);
  expect(usual.traces).toEqual([]);
  const off = watched(0);
  const call = await callTo("/api/v1/pods", off.clock.monotonic(), () => off.clock.monotonic());
  off.clock.advance(60_000);
  off.leave(call);
  expect(off.traces).toEqual([]);
});

test("within a second a bounded number is logged, and the next line counts the others", async () => {
  const { clock, traces, leave } = watched();
  const started = clock.monotonic();
  const call = await callTo("/api/v1/pods", started, () => clock.monotonic());
  clock.advance(1_500);
  for (let index = 0; index < slowTracesPerSecondMax + 7; index += 1) leave(call);
  expect(traces).toHaveLength(slowTracesPerSecondMax);
  clock.advance(1_000);
  leave(call);
  expect(traces).toHaveLength(slowTracesPerSecondMax + 1);
  expect(traces.at(-1)).toMatchObject({ leftOut: 7 });
});
