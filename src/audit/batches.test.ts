import { describe, expect, test } from "vitest";
import { createManualClock } from "../base/clock.ts";
import { createBatchSink } from "./batches.ts";
import type { AuditEvent } from "./contract.ts";
import { event, idOf, lost } from "./events.suite.ts";
import { createAuditMetrics } from "./metrics.ts";

describe("batches", () => {
  const options = { bufferSize: 5, sizeMax: 2, waitMs: 1_000, perSecond: 0, burst: 0, concurrentMax: 1 };
  const settle = () => new Promise((resolve) => setImmediate(resolve));

  test("are sent when they are full or after their time, and the last ones on close", async () => {
    const clock = createManualClock(0);
    const batches: string[][] = [];
    const take = async (batch: readonly AuditEvent[]) => void batches.push(batch.map(idOf));
    const sink = createBatchSink("webhook", take, { ...options, clock, metrics: createAuditMetrics() });
    sink.write(event("1"));
    await settle();
    expect(batches).toEqual([]);
    sink.write(event("2"));
    await settle();
    expect(batches).toEqual([["1", "2"]]);
    sink.write(event("3"));
    clock.advance(1_000);
    await settle();
    expect(batches).toEqual([["1", "2"], ["3"]]);
    sink.write(event("4"));
    await sink.close();
    expect(batches).toEqual([["1", "2"], ["3"], ["4"]]);
  });

  test("a backend that does not answer blocks no request; events that do not fit are counted", async () => {
    const clock = createManualClock(0);
    const metrics = createAuditMetrics();
    let release = () => {};
    const stuck = new Promise<void>((resolve) => {
      release = resolve;
    });
    const sink = createBatchSink("webhook", () => stuck, { ...options, clock, metrics });
    for (let index = 0; index < 10; index++) expect(sink.write(event(String(index)))).toBeUndefined();
    expect(lost(metrics)).toBe("3"); // two are under way, five wait
    release();
    await sink.close();
  });

  test("that are tried again hold up no others while fewer than the maximum are under way", async () => {
    const stuck = new Promise<void>(() => {});
    const batches: string[][] = [];
    const take = (batch: readonly AuditEvent[]) => {
      batches.push(batch.map(idOf));
      return stuck;
    };
    const clock = createManualClock(0);
    const sink = createBatchSink("webhook", take, {
      ...options,
      concurrentMax: 2,
      clock,
      metrics: createAuditMetrics(),
    });
    for (let index = 0; index < 7; index++) {
      sink.write(event(String(index)));
      await settle();
    }
    expect(batches).toEqual([
      ["0", "1"],
      ["2", "3"],
    ]);
  });

  test("of a backend that fails are lost and counted", async () => {
    const metrics = createAuditMetrics();
    const clock = createManualClock(0);
    const sink = createBatchSink("webhook", () => Promise.reject(new Error("no")), { ...options, clock, metrics });
    sink.write(event("1"));
    await sink.close();
    expect(lost(metrics)).toBe("1");
  });
});
