/** Turns readyz red as soon as the server is told to stop, so that balancers send new clients elsewhere. */

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
