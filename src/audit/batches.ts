/** Collects events and passes them on in batches, at a limited rate, without making requests wait. */

import type { Clock } from "../base/clock.ts";
import type { AuditEvent, AuditSink } from "./contract.ts";
import type { AuditMetrics } from "./metrics.ts";

interface BatchOptions {
  /** Events that may wait; further ones are dropped and counted. */
  readonly bufferSize: number;
  readonly sizeMax: number;
  /** How long an event waits for others; 0: it does not wait. */
  readonly waitMs: number;
  /** Batches a second; 0: no limit. */
  readonly perSecond: number;
  /** Batches at once after a pause. */
  readonly burst: number;
  /** Batches that may be in progress at once; 1: one after the other, in their order. */
  readonly concurrentMax: number;
  readonly clock: Clock;
  readonly metrics: AuditMetrics;
}

/** Writes a batch. Rejects when the batch could not be written and is lost. */
export type TakeBatch = (batch: readonly AuditEvent[]) => Promise<void>;

export function createBatchSink(name: string, take: TakeBatch, options: BatchOptions): AuditSink {
  const { bufferSize, sizeMax, waitMs, perSecond, burst, concurrentMax, clock, metrics } = options;
  const waiting: AuditEvent[] = [];
  let cancel: (() => void) | undefined;
  let sending: Promise<void> | undefined;
  const underWay = new Set<Promise<void>>();
  let tokens = burst;
  let refilledMs = clock.monotonic();

  /** The time until another batch may be sent. */
  const delayMs = (): number => {
    if (perSecond <= 0) return 0;
    const now = clock.monotonic();
    tokens = Math.min(Math.max(1, burst), tokens + ((now - refilledMs) / 1_000) * perSecond);
    refilledMs = now;
    return tokens >= 1 ? 0 : Math.ceil(((1 - tokens) / perSecond) * 1_000);
  };
  const begin = (batch: readonly AuditEvent[]): void => {
    const taken = take(batch)
      .catch(() => metrics.lost(name, batch.length))
      .finally(() => underWay.delete(taken));
    underWay.add(taken);
  };
  const sendAll = async (): Promise<void> => {
    while (waiting.length > 0) {
      const pauseMs = delayMs();
      if (pauseMs > 0) await new Promise<void>((resolve) => void clock.after(pauseMs, resolve));
      tokens -= 1;
      const batch = waiting.splice(0, sizeMax);
      begin(batch);
      if (underWay.size >= concurrentMax) await Promise.race(underWay);
      if (waiting.length < sizeMax && waitMs > 0) break;
    }
  };
  const finish = () => {
    sending = undefined;
    if (waiting.length > 0) schedule();
  };
  const flush = () => {
    cancel?.();
    cancel = undefined;
    sending ??= sendAll().then(finish);
  };
  const schedule = () => {
    if (waiting.length >= sizeMax || waitMs === 0) flush();
    else cancel ??= clock.after(waitMs, flush);
  };
  return {
    name,
    write(event) {
      if (waiting.length >= bufferSize) {
        metrics.lost(name, 1);
        return;
      }
      waiting.push(event);
      if (sending === undefined) schedule();
    },
    async close() {
      while (waiting.length > 0 || sending !== undefined) {
        flush();
        await sending;
      }
      await Promise.all(underWay);
    },
  };
}
