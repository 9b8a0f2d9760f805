/** GET /debug/pprof/heap?seconds=N: a sampling profile of allocations still in memory, as a .heapprofile. */

import { readSeconds, waitFor } from "./inspector.ts";
import type { DebugPage } from "./routes.ts";

export const heapProfile: DebugPage = {
  path: "/debug/pprof/heap",
  about: "allocations of ?seconds= (30 by default) that are still in use, by sampling, as a .heapprofile",
  async answer(exchange, { inspector, clock }) {
    const seconds = readSeconds(exchange.target);
    const profile = await inspector.alone(async (session) => {
      await session.post("HeapProfiler.enable");
      await session.post("HeapProfiler.startSampling");
      await waitFor(seconds, clock, exchange.signal);
      return (await session.post("HeapProfiler.stopSampling")).profile;
    });
    return { file: "orch.heapprofile", body: profile };
  },
};
