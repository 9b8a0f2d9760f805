/** Named points at which the crash harness may end the process; in production they do nothing. */

export const crashPoints = [
  // The folder, its files and its lock.
  "folder: made",
  "folder: named safely",
  "lock: draft written",
  "lock: stale one found",
  "lock: stale one moved aside",
  "lock: stale one removed",
  "lock: linked",
  "lock: draft removed",
  "file: made",
  // A new data file, under another name until it is whole.
  "create: remains removed",
  "create: draft made",
  "create: draft committed",
  "create: draft closed",
  "create: draft synced",
  "create: named",
  // An opening.
  "open: locked",
  "open: files made",
  "open: files checked",
  "open: mapped",
  "open: tables made",
  "open: format read",
  "open: owner handed over",
  "open: owned",
  "open: state read",
  "open: done",
  // Writes, one by one and in batches.
  "write: queued",
  "flush: begun",
  "batch: taken",
  "room: extending",
  "room: extended",
  "batch: decided",
  "batch: encoded",
  "batch: handed over",
  "batch: committed",
  "batch: counted",
  "batch: announced",
  "batch: one of several acknowledged",
  "batch: acknowledged",
  "batch: conflict told",
  "flush: ended",
  // History.
  "history: expired",
  "sweep: decided",
  "sweep: encoded",
  "sweep: handed over",
  "sweep: committed",
  "compact: asked",
  "compact: floor moved",
  "compact: committed",
  "compact: answered",
  // Reading.
  "range: pinned",
  "range: page read",
  "watch: begun",
  "watch: read from disk",
  // The end.
  "close: begun",
  "close: watches ended",
  "close: drained",
  "close: files closed",
  "close: unlocked",
] as const;
export type CrashPoint = (typeof crashPoints)[number];

let hook: ((point: CrashPoint) => void) | undefined;

export function crashPoint(point: CrashPoint): void {
  hook?.(point);
}

/** Only the crash harness's own process calls this. */
export function armCrashPoints(onReach: (point: CrashPoint) => void): void {
  hook = onReach;
}
