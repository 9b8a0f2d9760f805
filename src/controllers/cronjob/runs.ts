/** Which run of a CronJob is due, and when the next one is. */

import type { CronJob } from "../../api/batch/v1/cron-job.ts";
import { timeMs } from "../parts/pods/state.ts";
import type { PlannedEvent } from "../plan.ts";
import type { Schedule } from "./schedule.ts";

/** More missed runs than this are reported by an event. */
const missedRunsReported = 100;

interface DueRun {
  /** When the run was due; undefined: none is. */
  readonly atMs?: number;
  readonly events: readonly PlannedEvent[];
}

/** The latest run that is due; earlier missed runs are skipped. Throws if the schedule has none. */
export function dueRun(cronJob: CronJob, schedule: Schedule, nowMs: number): DueRun {
  const { startingDeadlineSeconds: deadline } = cronJob.spec ?? {};
  const knownMs = timeMs(cronJob.status?.lastScheduleTime) ?? timeMs(cronJob.metadata.creationTimestamp) ?? nowMs;
  const earliestMs = deadline === undefined ? knownMs : Math.max(knownMs, nowMs - deadline * 1000);
  if (earliestMs > nowMs) return { events: [] };
  const { atMs, missed } = latestRun(schedule, earliestMs, nowMs);
  if (atMs === undefined) return { events: [] };
  const events: PlannedEvent[] = [];
  if (missed > missedRunsReported) {
    const hint = "Set or decrease .spec.startingDeadlineSeconds or check clock skew";
    const message = `too many missed start times: ${missed}. ${hint}`;
    events.push({ type: "Warning", reason: "TooManyMissedTimes", message });
  }
  if (deadline !== undefined && atMs + deadline * 1000 < nowMs) {
    const message = `Missed scheduled time to start a job: ${mailTime(atMs)}`;
    return { events: [...events, { type: "Warning", reason: "MissSchedule", message }] };
  }
  return { atMs, events };
}

/** From the distance of the first two runs, as v1.21 does: schedules may have been missed for years. */
function latestRun(schedule: Schedule, earliestMs: number, nowMs: number): { atMs?: number; missed: number } {
  const first = schedule.next(earliestMs);
  const second = first === undefined ? undefined : schedule.next(first);
  if (first === undefined || second === undefined)
    throw new Error("time difference between two schedules less than 1 second");
  if (nowMs < first) return { missed: 0 };
  if (nowMs < second) return { atMs: first, missed: 1 };
  const missed = Math.floor((nowMs - first) / (second - first)) + 1;
  return { atMs: first + (missed - 1) * (second - first), missed };
}

/** "Mon, 02 Jan 2006 15:04:05 +0000". */
const mailTime = (ms: number) => new Date(ms).toUTCString().replace("GMT", "+0000");

/** A little later than the run, so that it is due by then. */
const runDelayMs = 100;

export function nextRunInMs(schedule: Schedule, nowMs: number): number | undefined {
  const next = schedule.next(nowMs);
  return next === undefined ? undefined : next + runDelayMs - nowMs;
}
