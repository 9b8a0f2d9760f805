/** Limits on time that hold on a busy machine. */

/**
 * Starts to measure; the result tells how many milliseconds of work have passed. Beside other processes the wall clock counts more than
 * the work, and beside other threads of the tests the processor time does, so that the smaller one counts.
 */
export function measureWork(): () => number {
  const began = performance.now();
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return Math.min(performance.now() - began, (user + system) / 1_000);
  };
}
