/** GET /debug/pprof/heapsnapshot: every object in memory, as a .heapsnapshot. The process stops while it is made. */

import { getHeapSnapshot, getHeapStatistics } from "node:v8";
import { serviceUnavailable } from "../../machinery/status/status.ts";
import type { DebugPage } from "./routes.ts";

/** A snapshot of a larger heap would stop the process for too long and need as much memory again. */
export const snapshotHeapBytesMax = 512 * 1024 * 1024;

export const heapSnapshot: DebugPage = {
  path: "/debug/pprof/heapsnapshot",
  about: "every object in memory, Secrets included, as a .heapsnapshot; nothing is served while it is made",
  async answer(_exchange, { inspector }) {
    return inspector.alone(async () => {
      const { used_heap_size: used } = getHeapStatistics();
      if (used > snapshotHeapBytesMax) {
        throw serviceUnavailable(`the heap has ${used} bytes; snapshots are taken up to ${snapshotHeapBytesMax}`);
      }
      findLines();
      return { file: "orch.heapsnapshot", stream: getHeapSnapshot() };
    });
  },
};

/**
 * V8 notes the line of every function. Unless it has an index of the lines of a program, it counts from the beginning of the text for
 * each function; a stack trace makes it build that index.
 */
function findLines(): void {
  void new Error("for its stack").stack;
}
