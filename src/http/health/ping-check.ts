/** Answers whenever the event loop does. */

import type { HealthCheck } from "../contract/health.ts";

export const pingCheck: HealthCheck = { name: "ping", on: ["healthz", "livez", "readyz"], check() {} };
