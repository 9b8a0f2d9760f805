/** The health checks of a server that need nothing else: that it runs, and that it is not shutting down. */

import type { HealthCheck, Lifecycle } from "../contract/health.ts";

/** Makes readyz fail as soon as a shutdown begins, so that load balancers send new clients to other servers. */
export function createShutdownCheck(lifecycle: Lifecycle): HealthCheck {
  return {
    name: "shutdown",
    on: ["readyz"],
    check() {
      if (lifecycle.draining) throw new Error("the server is shutting down");
    },
  };
}

/** Succeeds whenever the event loop is running. */
export const pingCheck: HealthCheck = { name: "ping", on: ["healthz", "livez", "readyz"], check() {} };
