/** Succeeds whenever the event loop is running. */

import type { HealthCheck } from "../contract/health.ts";

export const pingCheck: HealthCheck = { name: "ping", on: ["healthz", "livez", "readyz"], check() {} };
