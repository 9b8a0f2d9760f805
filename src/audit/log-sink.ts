/** Events as lines of a file or of standard output. */

import type { Clock } from "../base/clock.ts";
import type { AuditEvent, AuditSink } from "./contract.ts";
import type { LogFile } from "./log-file.ts";
import type { AuditMetrics } from "./metrics.ts";

type LogMode = "blocking" | "blocking-strict" | "batch";

interface LogSinkOptions {
  readonly file: LogFile;
  readonly print: (event: AuditEvent) => string;
  readonly mode: LogMode;
  readonly clock: Clock;
  readonly metrics: AuditMetrics;
}

/** Bytes of lines that may wait for a slow disk; further lines are dropped and counted. */
export const logPendingBytesMax = 64 * 1024 * 1024;
/** Events that may wait to be printed, which happens with the next write. */
export const logUnprintedMax = 1_000;
/** Lines that arrive sooner after the last write wait, so that a busy server makes few large writes. */
export const logPauseMs = 10;

/**
 * Lines are written together, in order: at the end of the iteration of the event loop, or `logPauseMs` after the last write.
 * "blocking-strict" makes a request wait for its RequestReceived event and fail with it; in other modes only the memory of
 * waiting lines is limited.
 */
export function createLogSink({ file, print, mode, clock, metrics }: LogSinkOptions): AuditSink {
  let unprinted: AuditEvent[] = [];
  let lines: string[] = [];
  let bytes = 0;
  let writing: Promise<void> | undefined;
  let cancel: (() => void) | undefined;
  let nextMs = Number.NEGATIVE_INFINITY;

  const printAll = (): void => {
    const events = unprinted;
    unprinted = [];
    for (const event of events) {
      const line = `${print(event)}\n`;
      if (bytes + line.length > logPendingBytesMax) metrics.lost("log", 1);
      else {
        lines.push(line);
        bytes += line.length;
      }
    }
  };
  const writeAll = async (): Promise<void> => {
    printAll();
    const batch = lines;
    const batchBytes = bytes;
    lines = [];
    nextMs = clock.monotonic() + logPauseMs;
    try {
      await file.append(batch.join(""));
    } catch {
      metrics.lost("log", batch.length);
    }
    bytes -= batchBytes;
    writing = undefined;
    if (hasMore()) schedule();
  };
  const hasMore = () => lines.length > 0 || unprinted.length > 0;
  const start = () => {
    cancel?.();
    cancel = undefined;
    writing ??= writeAll();
  };
  const schedule = () => {
    if (writing !== undefined || cancel !== undefined) return;
    const waitMs = nextMs - clock.monotonic();
    cancel = waitMs > 0 ? clock.after(waitMs, start) : immediately(start);
  };
  return {
    name: "log",
    write(event) {
      if (mode === "blocking-strict" && event.stage === "RequestReceived") {
        return file.append(`${print(event)}\n`).catch(() => {
          metrics.lost("log", 1);
          throw new Error("the audit event of the request could not be written");
        });
      }
      unprinted.push(event);
      // Objects may be large, and only printed lines count against the limit of bytes.
      const hasObjects = event.requestObject !== undefined || event.responseObject !== undefined;
      if (hasObjects || unprinted.length >= logUnprintedMax) printAll();
      schedule();
    },
    async close() {
      while (hasMore() || writing !== undefined) {
        start();
        await writing;
      }
      await file.close();
    },
  };
}

/** Calls back at the end of this iteration of the event loop; the returned function cancels it. */
function immediately(callback: () => void): () => void {
  const pending = setImmediate(callback);
  return () => clearImmediate(pending);
}
