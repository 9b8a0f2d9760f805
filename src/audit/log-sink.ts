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

/** Bytes of lines that wait for a disk that does not take them; further ones are lost, and counted. */
export const logPendingBytesMax = 64 * 1024 * 1024;

/**
 * Lines of one turn of the event loop are written together, in order. "blocking-strict" makes a request wait for the event
 * of its arrival, and fail with it; otherwise only the memory that lines may take is bounded.
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
