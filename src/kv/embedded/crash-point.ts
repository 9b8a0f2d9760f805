/** Named places at which the crash harness may end the process; in production nothing happens there. */

export const crashPoints = [
  "open: locked",
  "open: files made",
  "open: files checked",
  "open: tables made",
  "open: owned",
  "batch: decided",
  "batch: handed over",
  "batch: committed",
  "batch: announced",
  "batch: acknowledged",
  "sweep: decided",
  "sweep: handed over",
  "sweep: committed",
  "compact: floor moved",
  "close: drained",
  "close: files closed",
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
