/** Makes readyz fail as soon as a shutdown begins, so that load balancers send new clients to other servers. */

import type { HealthCheck, Lifecycle } from "../contract/health.ts";

export function createShutdownCheck(lifecycle: Lifecycle): HealthCheck {
  return {
    name: "shutdown",
    on: ["readyz"],
    check() {
      if (lifecycle.draining) throw new Error("the server is shutting down");
    },
  };
}
