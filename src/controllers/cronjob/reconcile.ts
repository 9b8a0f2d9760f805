/** Which run of a CronJob is due, its status, and which of its jobs are deleted. */

import type { CronJob, CronJobStatus } from "../../api/batch/v1/cron-job.ts";
import type { Job } from "../../api/batch/v1/job.ts";
import type { OwnerReference } from "../../machinery/schema/object-meta.ts";
import { finishedCondition, isJobFinished } from "../parts/jobs/finished.ts";
import { timeMs } from "../parts/pods/state.ts";
import type { PlannedEvent } from "../plan.ts";
import type { Schedule } from "./schedule.ts";

/** More missed runs than this are reported by an event. */
const missedRunsTold = 100;

type ActiveJob = NonNullable<CronJobStatus["active"]>[number];

export interface Observed {
  readonly status: CronJobStatus;
  readonly events: readonly PlannedEvent[];
  /** In the list, but not among its jobs: the cache may be stale, so the server must be read. */
  readonly unseen: readonly ActiveJob[];
}

/** The status according to its jobs. */
export function observeJobs(cronJob: CronJob, jobs: readonly Job[]): Observed {
  const events: PlannedEvent[] = [];
  let active = cronJob.status?.active ?? [];
  let lastSuccessfulTime = cronJob.status?.lastSuccessfulTime;
  for (const job of jobs) {
    const isListed = active.some(({ uid }) => uid === job.metadata.uid);
    const ended = finishedCondition(job);
    if (!isListed && ended === undefined) {
      const message = `Saw a job that the controller did not create or forgot: ${job.metadata.name}`;
      events.push({ type: "Warning", reason: "UnexpectedJob", message });
    } else if (isListed && ended !== undefined) {
      active = active.filter(({ uid }) => uid !== job.metadata.uid);
      const message = `Saw completed job: ${job.metadata.name}, status: ${ended.type}`;
      events.push({ type: "Normal", reason: "SawCompletedJob", message });
    }
    const completedMs = timeMs(job.status?.completionTime);
    if (ended !== undefined && completedMs !== undefined && completedMs > (timeMs(lastSuccessfulTime) ?? 0)) {
      lastSuccessfulTime = job.status?.completionTime ?? null;
    }
  }
  const known = new Set(jobs.map(({ metadata }) => metadata.uid));
  return {
    status: statusOf({ ...cronJob.status, active, lastSuccessfulTime }),
    events,
    unseen: active.filter(({ uid }) => !known.has(uid)),
  };
}

type StatusParts = { [K in keyof CronJobStatus]?: CronJobStatus[K] | undefined };

/** Empty members are omitted, as the server does. */
export function statusOf({ active = [], lastScheduleTime, lastSuccessfulTime }: StatusParts): CronJobStatus {
  return {
    ...(active.length === 0 ? {} : { active }),
    ...(lastScheduleTime ? { lastScheduleTime } : {}),
    ...(lastSuccessfulTime ? { lastSuccessfulTime } : {}),
  };
}

export interface DueRun {
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
  if (missed > missedRunsTold) {
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

/** The name acts as a lock: the same run cannot be started twice. */
export const jobName = (cronJob: CronJob, atMs: number): string =>
  `${cronJob.metadata.name}-${Math.floor(atMs / 60_000)}`;

export function newJob(cronJob: CronJob, atMs: number, owner: OwnerReference): Job {
  const { metadata, spec } = cronJob.spec?.jobTemplate ?? {};
  const { namespace } = cronJob.metadata;
  return {
    metadata: {
      name: jobName(cronJob, atMs),
      ...(namespace === undefined ? {} : { namespace }),
      labels: { ...metadata?.labels },
      annotations: { ...metadata?.annotations },
      ownerReferences: [owner],
    },
    ...(spec === undefined ? {} : { spec }),
  };
}

/** Finished jobs beyond those that are kept, the oldest first. */
export function surplusJobs(cronJob: CronJob, jobs: readonly Job[]): Job[] {
  const { successfulJobsHistoryLimit, failedJobsHistoryLimit } = cronJob.spec ?? {};
  const ended = (type: string) => jobs.filter((job) => isJobFinished(job) && finishedCondition(job)?.type === type);
  return [...oldest(ended("Complete"), successfulJobsHistoryLimit), ...oldest(ended("Failed"), failedJobsHistoryLimit)];
}

/** Absent: all are kept. */
function oldest(jobs: readonly Job[], limit: number | undefined): Job[] {
  if (limit === undefined) return [];
  const startMs = (job: Job) => timeMs(job.status?.startTime) ?? Number.MAX_SAFE_INTEGER;
  const name = ({ metadata }: Job) => metadata.name ?? "";
  const sorted = [...jobs].sort((a, b) => startMs(a) - startMs(b) || (name(a) < name(b) ? -1 : 1));
  return sorted.slice(0, Math.max(0, sorted.length - limit));
}
