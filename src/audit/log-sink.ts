/** Events as lines of a file or of standard output. */

import type { AuditEvent, Sink } from "./contract.ts";
import type { LogFile } from "./log-file.ts";
import type { AuditMetrics } from "./metrics.ts";

export type LogMode = "blocking" | "blocking-strict" | "batch";

export interface LogSinkOptions {
  readonly file: LogFile;
  readonly print: (event: AuditEvent) => string;
  readonly mode: LogMode;
  readonly metrics: AuditMetrics;
}

/** Bytes of lines that may wait for a slow disk; further lines are dropped and counted. */
export const logPendingBytesMax = 64 * 1024 * 1024;

/**
 * Lines of one iteration of the event loop are written together, in order. "blocking-strict" makes a request wait for its
 * RequestReceived event and fail with it; in other modes only the memory of waiting lines is limited.
 */
export function createLogSink({ file, print, mode, metrics }: LogSinkOptions): Sink {
  let lines: string[] = [];
  let bytes = 0;
  let writing: Promise<void> | undefined;

  const writeAll = async (): Promise<void> => {
    await new Promise(setImmediate);
    while (lines.length > 0) {
      const batch = lines;
      const batchBytes = bytes;
      lines = [];
      try {
        await file.append(batch.join(""));
      } catch {
        metrics.lost("log", batch.length);
      }
      bytes -= batchBytes;
    }
    writing = undefined;
  };
  return {
    name: "log",
    write(event) {
      const line = `${print(event)}\n`;
      const isArrival = event.members["stage"] === "RequestReceived";
      if (mode === "blocking-strict" && isArrival) {
        return file.append(line).catch(() => {
          metrics.lost("log", 1);
          throw new Error("the audit event of the request could not be written");
        });
      }
      if (bytes + line.length > logPendingBytesMax) {
        metrics.lost("log", 1);
        return;
      }
      lines.push(line);
      bytes += line.length;
      writing ??= writeAll();
    },
    async close() {
      await writing;
      await file.close();
    },
  };
}
