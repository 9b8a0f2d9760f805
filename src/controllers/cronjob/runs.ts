/** Which run of a CronJob is due, and when the next one is. */

import type { CronJob } from "../../api/batch/v1/cron-job.ts";
import { secondsMs } from "../../machinery/values/integer.ts";
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

/** How the latest run is found. */
export interface RunRules {
  /** It is one of the schedule, however uneven the distances of its runs are. Otherwise it is estimated from the first two, as v1.21 does. */
  readonly areExact: boolean;
}

/** The latest run that is due; earlier missed runs are skipped. Throws if the schedule has none. */
export function dueRun(cronJob: CronJob, schedule: Schedule, nowMs: number, rules: RunRules): DueRun {
  const { startingDeadlineSeconds: deadline } = cronJob.spec ?? {};
  const knownMs = knownRunMs(cronJob, nowMs);
  const earliestMs = deadline === undefined ? knownMs : Math.max(knownMs, nowMs - secondsMs(deadline));
  if (earliestMs > nowMs) return { events: [] };
  const { atMs, missed } = latestRun(schedule, earliestMs, nowMs, rules);
  if (atMs === undefined) return { events: [] };
  const events: PlannedEvent[] = [];
  if (missed > missedRunsReported) {
    const count = rules.areExact ? "" : `: ${missed}`;
    const hint = "Set or decrease .spec.startingDeadlineSeconds or check clock skew";
    const message = `too many missed start times${count}. ${hint}`;
    events.push({ type: "Warning", reason: "TooManyMissedTimes", message });
  }
  if (deadline !== undefined && atMs + secondsMs(deadline) < nowMs) {
    const message = `Missed scheduled time to start a job: ${mailTime(atMs)}`;
    return { events: [...events, { type: "Warning", reason: "MissSchedule", message }] };
  }
  return { atMs, events };
}

export const hasSameRuns = ({ spec }: CronJob, { spec: old }: CronJob): boolean =>
  spec?.schedule === old?.schedule && spec?.timeZone === old?.timeZone;

const knownRunMs = ({ status, metadata }: CronJob, nowMs: number): number =>
  timeMs(status?.lastScheduleTime) ?? timeMs(metadata.creationTimestamp) ?? nowMs;

interface LatestRun {
  /** Undefined: none is due, or none is near where the estimate says. */
  readonly atMs?: number | undefined;
  /** Estimated from the distance of the first two runs: schedules may have been missed for years. */
  readonly missed: number;
}

function latestRun(schedule: Schedule, earliestMs: number, nowMs: number, { areExact }: RunRules): LatestRun {
  const first = schedule.next(earliestMs);
  if (first !== undefined && nowMs < first) return { missed: 0 };
  const second = first === undefined ? undefined : schedule.next(first);
  if (first === undefined || second === undefined)
    throw new Error(`time difference between two schedules ${areExact ? "is " : ""}less than 1 second`);
  if (nowMs < second) return { atMs: first, missed: 1 };
  const distanceMs = second - first;
  const missed = Math.floor((nowMs - first) / distanceMs) + 1;
  const estimatedMs = first + (missed - 1) * distanceMs;
  // One distance earlier, because a run may be nearer to the one before it than the first two are to each other.
  return { atMs: areExact ? lastRun(schedule, estimatedMs - distanceMs, nowMs) : estimatedMs, missed };
}

/** Runs that are gone through one by one. More are searched by halves: after a long pause there may be hundreds of thousands. */
const runsWalkedMax = 100;
const minuteMs = 60_000;

/** The last run after `afterMs` and not after `nowMs`; undefined: there is none. */
function lastRun(schedule: Schedule, afterMs: number, nowMs: number): number | undefined {
  const after = (ms: number) => {
    const next = schedule.next(ms);
    return next !== undefined && next <= nowMs ? next : undefined;
  };
  let last = after(afterMs);
  for (let walked = 1; last !== undefined; walked += 1) {
    const next = after(last);
    if (next === undefined) return last;
    last = next;
    if (walked === runsWalkedMax) break;
  }
  if (last === undefined) return undefined;
  // `last` is a run, and none follows `high`. Runs of fields are whole minutes; those of @every have ended before.
  for (let high = nowMs; high - last >= minuteMs; ) {
    const middle = last + Math.floor((high - last) / 2);
    const next = after(middle);
    if (next === undefined) high = middle;
    else last = next;
  }
  return last;
}

/** "Mon, 02 Jan 2006 15:04:05 +0000". */
const mailTime = (ms: number) => new Date(ms).toUTCString().replace("GMT", "+0000");

/** A little later than the run, so that it is due by then. */
const runDelayMs = 100;

export function nextRunInMs(cronJob: CronJob, schedule: Schedule, nowMs: number, rules: RunRules): number | undefined {
  const next = schedule.next(rules.areExact ? countedFrom(cronJob, schedule, nowMs, rules) : nowMs);
  return next === undefined ? undefined : next + runDelayMs - nowMs;
}

/** Runs of @every follow the last one, and not the moment of the question. */
function countedFrom(cronJob: CronJob, schedule: Schedule, nowMs: number, rules: RunRules): number {
  const knownMs = knownRunMs(cronJob, nowMs);
  try {
    const { atMs, missed } = latestRun(schedule, knownMs, nowMs, rules);
    return atMs ?? (missed === 0 ? knownMs : nowMs);
  } catch {
    return nowMs; // the schedule has no runs, which `dueRun` reports
  }
}
