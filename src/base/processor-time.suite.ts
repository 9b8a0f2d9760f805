/** Limits on time that hold on a busy machine. */

import { readFileSync } from "node:fs";

/** Linux counts the processor time of a thread up to its last tick, which was at most this long ago. */
const tickMs = 10;

/**
 * Starts to measure; the result tells how many milliseconds of work have passed. Beside other processes the wall clock counts more than
 * the work, and beside other threads of the tests the processor time of the process does, so that the smallest one counts.
 */
export function measureWork(): () => number {
  const began = performance.now();
  const before = process.cpuUsage();
  const threadBefore = threadMs();
  return () => {
    const { user, system } = process.cpuUsage(before);
    const spent = Math.min(performance.now() - began, (user + system) / 1_000);
    const thread = threadMs();
    return thread === undefined || threadBefore === undefined ? spent : Math.min(spent, thread - threadBefore + tickMs);
  };
}

/** The processor time of this thread. Undefined: the system does not tell it. */
function threadMs(): number | undefined {
  try {
    return Number(readFileSync("/proc/thread-self/schedstat", "utf8").split(" ")[0]) / 1e6;
  } catch {
    return undefined;
  }
}
