/** GET /debug/heap: how much memory the process uses, and for what. */

import { getHeapSpaceStatistics, getHeapStatistics } from "node:v8";
import type { DebugPage } from "./routes.ts";

export const heap: DebugPage = {
  path: "/debug/heap",
  about: "memory of the process in bytes, and of the heap by its spaces",
  async answer() {
    return { body: { process: process.memoryUsage(), heap: getHeapStatistics(), spaces: getHeapSpaceStatistics() } };
  },
};
