import { describe, expect, test } from "vitest";
import { createManualClock, systemClock } from "../base/clock.ts";
import type { AuditEvent } from "./contract.ts";
import { arrival, event, idOf, lost } from "./events.suite.ts";
import { createLogSink, logPauseMs, logUnprintedMax } from "./log-sink.ts";
import { createAuditMetrics } from "./metrics.ts";

describe("the log", () => {
  const full = { append: () => Promise.reject(new Error("ENOSPC")), close: async () => {} };
  const print = (one: AuditEvent) => idOf(one);

  test("writes lines in order", async () => {
    const written: string[] = [];
    const file = { append: async (text: string) => void written.push(text), close: async () => {} };
    const sink = createLogSink({ file, print, mode: "blocking", clock: systemClock, metrics: createAuditMetrics() });
    for (const id of ["1", "2", "3"]) expect(sink.write(event(id))).toBeUndefined();
    await sink.close();
    expect(written.join("")).toBe("1\n2\n3\n");
  });

  test("writes the first line at once, and those that follow together after a pause", async () => {
    const written: string[] = [];
    const clock = createManualClock(0);
    const file = { append: async (text: string) => void written.push(text), close: async () => {} };
    const sink = createLogSink({ file, print, mode: "blocking", clock, metrics: createAuditMetrics() });
    const settle = () => new Promise((resolve) => setImmediate(resolve));
    sink.write(event("1"));
    await settle();
    expect(written).toEqual(["1\n"]);
    for (const id of ["2", "3"]) sink.write(event(id));
    await settle();
    expect(written).toEqual(["1\n"]);
    clock.advance(logPauseMs);
    await settle();
    expect(written).toEqual(["1\n", "2\n3\n"]);
    sink.write(event("4"));
    await sink.close();
    expect(written.at(-1)).toBe("4\n");
  });

  test("prints events with the next write, sooner if there are many or if they hold objects", async () => {
    let printed = 0;
    const counting = (one: AuditEvent) => {
      printed++;
      return print(one);
    };
    const file = { append: async () => {}, close: async () => {} };
    const clock = createManualClock(0);
    const sink = createLogSink({ file, print: counting, mode: "blocking", clock, metrics: createAuditMetrics() });
    for (let count = 1; count < logUnprintedMax; count++) sink.write(event("1"));
    expect(printed).toBe(0);
    sink.write(event("1"));
    expect(printed).toBe(logUnprintedMax);
    sink.write(event("2"));
    sink.write(event("3", { requestObject: "{}" }));
    expect(printed).toBe(logUnprintedMax + 2);
    sink.write(event("4"));
    await sink.close();
    expect(printed).toBe(logUnprintedMax + 3);
  });

  test("on a full disk loses events, counts them, and does not block requests", async () => {
    const metrics = createAuditMetrics();
    const sink = createLogSink({ file: full, print, mode: "blocking", clock: systemClock, metrics });
    sink.write(event("1"));
    sink.write(arrival("2"));
    await sink.close();
    expect(lost(metrics)).toBe("2");
  });

  test("that is strict fails a request whose arrival cannot be written", async () => {
    const metrics = createAuditMetrics();
    const sink = createLogSink({ file: full, print, mode: "blocking-strict", clock: systemClock, metrics });
    await expect(sink.write(arrival("1"))).rejects.toThrow("could not be written");
  });
});
