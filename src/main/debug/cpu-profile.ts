/** GET /debug/pprof/profile?seconds=N: a CPU profile, as a .cpuprofile that Chrome and editors open. */

import { readSeconds, waitFor } from "./inspector.ts";
import type { DebugPage } from "./routes.ts";

export const cpuProfile: DebugPage = {
  path: "/debug/pprof/profile",
  about: "CPU profile of ?seconds= (30 by default), as a .cpuprofile",
  async answer(exchange, { inspector, clock }) {
    const seconds = readSeconds(exchange.target);
    const profile = await inspector.alone(async (session) => {
      await session.post("Profiler.enable");
      await session.post("Profiler.start");
      await waitFor(seconds, clock, exchange.signal);
      return (await session.post("Profiler.stop")).profile;
    });
    return { file: "orch.cpuprofile", body: profile };
  },
};
