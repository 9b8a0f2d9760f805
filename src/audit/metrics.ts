/** The metrics of auditing, under the names of v1.21. */

import { Counter, type Metric } from "../base/metrics.ts";
import type { Level } from "./contract.ts";

export interface AuditMetrics {
  readonly all: readonly Metric[];
  event(): void;
  level(level: Level): void;
  /** Events that a sink could not write. */
  lost(sink: string, count: number): void;
  /** A request that failed because its event could not be written. */
  rejected(): void;
}

export function createAuditMetrics(): AuditMetrics {
  const events = new Counter("apiserver_audit_event_total", "Audit events that were generated.", []);
  const levels = new Counter("apiserver_audit_level_total", "Requests by the level that the audit policy chose.", [
    "level",
  ]);
  const errors = new Counter("apiserver_audit_error_total", "Audit events that a backend could not keep.", ["plugin"]);
  const rejected = new Counter(
    "apiserver_audit_requests_rejected_total",
    "Requests that were rejected because their audit event could not be written.",
    [],
  );
  return {
    all: [events, levels, errors, rejected],
    event: () => events.add(events.labelKey(), 1),
    level: (level) => levels.add(levels.labelKey(level), 1),
    lost: (sink, count) => errors.add(errors.labelKey(sink), count),
    rejected: () => rejected.add(rejected.labelKey(), 1),
  };
}
