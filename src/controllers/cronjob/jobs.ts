/** The jobs of a CronJob: what they say about its status, how one is made, and which are deleted. */

import type { CronJob, CronJobStatus } from "../../api/batch/v1/cron-job.ts";
import type { Job } from "../../api/batch/v1/job.ts";
import type { OwnerReference } from "../../machinery/schema/object-meta.ts";
import { finishedCondition, isJobFinished } from "../parts/jobs/finished.ts";
import { timeMs } from "../parts/pods/state.ts";
import type { PlannedEvent } from "../plan.ts";
import { zonedTimeText } from "./zone-clock.ts";

type ActiveJob = NonNullable<CronJobStatus["active"]>[number];

export interface ObservedJobs {
  readonly status: CronJobStatus;
  readonly events: readonly PlannedEvent[];
  /** In the list, but not among its jobs: the cache may be stale, so the server must be read. */
  readonly unseen: readonly ActiveJob[];
}

/** The status according to its jobs. */
export function observeJobs(cronJob: CronJob, jobs: readonly Job[]): ObservedJobs {
  const events: PlannedEvent[] = [];
  const listed = cronJob.status?.active ?? [];
  /** Those of the list that have not ended. A set, because jobs that never end make the list long. */
  const running = new Set(listed.map(({ uid }) => uid));
  let lastSuccessfulTime = cronJob.status?.lastSuccessfulTime;
  for (const job of jobs) {
    const isListed = running.has(job.metadata.uid);
    const ended = finishedCondition(job);
    if (!isListed && ended === undefined) {
      const message = `Saw a job that the controller did not create or forgot: ${job.metadata.name}`;
      events.push({ type: "Warning", reason: "UnexpectedJob", message });
    } else if (isListed && ended !== undefined) {
      running.delete(job.metadata.uid);
      const message = `Saw completed job: ${job.metadata.name}, status: ${ended.type}`;
      events.push({ type: "Normal", reason: "SawCompletedJob", message });
    }
    const completedMs = timeMs(job.status?.completionTime);
    if (ended !== undefined && completedMs !== undefined && completedMs > (timeMs(lastSuccessfulTime) ?? 0)) {
      lastSuccessfulTime = job.status?.completionTime ?? null;
    }
  }
  const active = listed.filter(({ uid }) => running.has(uid));
  const known = new Set(jobs.map(({ metadata }) => metadata.uid));
  return {
    status: cronJobStatus({ ...cronJob.status, active, lastSuccessfulTime }),
    events,
    unseen: active.filter(({ uid }) => !known.has(uid)),
  };
}

type StatusParts = { [K in keyof CronJobStatus]?: CronJobStatus[K] | undefined };

/** Empty members are omitted, as the server does. */
export function cronJobStatus({ active = [], lastScheduleTime, lastSuccessfulTime }: StatusParts): CronJobStatus {
  return {
    ...(active.length === 0 ? {} : { active }),
    ...(lastScheduleTime ? { lastScheduleTime } : {}),
    ...(lastSuccessfulTime ? { lastSuccessfulTime } : {}),
  };
}

/** The name acts as a lock: the same run cannot be started twice. */
export const jobName = (cronJob: CronJob, atMs: number): string =>
  `${cronJob.metadata.name}-${Math.floor(atMs / 60_000)}`;

/** `timeKey`: the annotation of a job with when its run was due. Absent: jobs have none. */
export function newJob(cronJob: CronJob, atMs: number, owner: OwnerReference, timeKey?: string): Job {
  const { metadata, spec } = cronJob.spec?.jobTemplate ?? {};
  const { namespace } = cronJob.metadata;
  return {
    metadata: {
      name: jobName(cronJob, atMs),
      ...(namespace === undefined ? {} : { namespace }),
      labels: { ...metadata?.labels },
      annotations: {
        ...metadata?.annotations,
        ...(timeKey === undefined ? {} : { [timeKey]: zonedTimeText(atMs, cronJob.spec?.timeZone) }),
      },
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
