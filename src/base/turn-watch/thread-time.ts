/** Processor time of the current thread, to which the collector's own threads and other workers add nothing. */

import { closeSync, openSync, readSync } from "node:fs";

interface ThreadTime {
  /** Milliseconds since some time in the past. Linux counts up to its last tick, which was at most 10 ms ago. */
  ms(): number;
  close(): void;
}

const lineBytes = 64;

/** Only Linux tells the time of a thread. Elsewhere the time of the process counts, which is never less. */
export function openThreadTime(): ThreadTime {
  try {
    const file = openSync("/proc/thread-self/schedstat", "r");
    const line = Buffer.alloc(lineBytes);
    const read = () => line.toString("latin1", 0, readSync(file, line, 0, lineBytes, 0));
    return { ms: () => Number.parseInt(read(), 10) / 1e6, close: () => closeSync(file) };
  } catch {
    return { ms: processMs, close: () => {} };
  }
}

function processMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
