/** The metrics of auditing, under the names of v1.21. */

import { type Cell, Counter, type Metric } from "../base/metrics.ts";
import { auditErrors, auditEvents, auditLevels, auditRejections } from "../metrics/audit.ts";
import type { AuditLevel } from "./contract.ts";

export interface AuditMetrics {
  readonly all: readonly Metric[];
  event(): void;
  level(level: AuditLevel): void;
  /** Events that a sink could not write. */
  lost(sink: string, count: number): void;
  /** A request that failed because its event could not be written. */
  rejected(): void;
}

export function createAuditMetrics(): AuditMetrics {
  const events = new Counter(auditEvents);
  const levels = new Counter(auditLevels);
  const errors = new Counter(auditErrors);
  const rejected = new Counter(auditRejections);
  const levelCells = new Map<AuditLevel, Cell>();
  const eventCell = events.cell();
  return {
    all: [events, levels, errors, rejected],
    event: () => void eventCell.value++,
    level(level) {
      let cell = levelCells.get(level);
      if (cell === undefined) {
        cell = levels.cell(levels.labelKey(level));
        levelCells.set(level, cell);
      }
      cell.value++;
    },
    lost: (sink, count) => errors.add(errors.labelKey(sink), count),
    rejected: () => rejected.add(),
  };
}
