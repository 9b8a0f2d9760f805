/** One pass over a CronJob: its status follows its jobs, a run that is due is started, and old jobs are deleted. */

import { CronJob } from "../../api/batch/v1/cron-job.ts";
import { Job } from "../../api/batch/v1/job.ts";
import { timeZoneProblems } from "../../api/batch/v1/time-zone.ts";
import type { Ref, ServedType } from "../../client/contract.ts";
import { keyOf, splitKey } from "../../client/informer/keys.ts";
import { hasReason } from "../../client/requests/send.ts";
import { timeText } from "../../machinery/values/time.ts";
import type { ControllerFeature } from "../features.ts";
import { controllerOf, controllerRef } from "../parts/ownership/controller-ref.ts";
import { isDeleting } from "../parts/pods/state.ts";
import { create, messageOf, type Plan, type PlannedEvent, type Request, read, remove, statusOf } from "../plan.ts";
import { cronJobStatus, jobName, newJob, type ObservedJobs, observeJobs, surplusJobs } from "./jobs.ts";
import { dueRun, nextRunInMs, type RunRules } from "./runs.ts";
import { parseSchedule, type Schedule, type ScheduleRules } from "./schedule.ts";
import { localClock } from "./wall-clock.ts";
import { zoneClock } from "./zone-clock.ts";

type CronJobRules = RunRules & ScheduleRules;

export const cronJobRules = (has: (feature: ControllerFeature) => boolean): CronJobRules => ({
  areExact: has("exactRuns"),
  hasZones: has("zonesInSchedules"),
  hasStepsOfDays: has("stepsOfDays"),
});

export interface CronJobContext {
  /** Those that it controls. */
  readonly jobs: readonly Job[];
  readonly nowMs: number;
  /** The type that owner references and references to jobs name. */
  readonly type: ServedType;
  readonly jobType: ServedType;
  /** The annotation of a job with when its run was due. Absent: jobs have none. */
  readonly timeKey?: string | undefined;
  readonly rules: CronJobRules;
}

/** `cached`: the cache may already have a job and not yet the status that lists it; then the server is read. */
export function planCronJob(cached: CronJob, context: CronJobContext): Plan {
  const observed = observeJobs(cached, context.jobs);
  const isSurprised = observed.events.some(({ reason }) => reason === "UnexpectedJob");
  if (!isSurprised) return planObserved(cached, observed, context);
  const live = read(CronJob, splitKey(keyOf(cached)));
  return {
    reads: [live],
    next(done) {
      const cronJob = done.of(live);
      return cronJob && planObserved(cronJob, observeJobs(cronJob, context.jobs), context);
    },
  };
}

/** The status lists the jobs that are there. Of those that the cache does not have, the server says whether they exist. */
function planObserved(cronJob: CronJob, { status, events, unseen }: ObservedJobs, context: CronJobContext): Plan {
  const reads = unseen.map(({ namespace, name = "" }) => read(Job, { namespace, name }));
  return {
    reads,
    next(done) {
      const missing = unseen.filter((_, index) => done.of(reads[index] as Request<Job>) === undefined); // as many as unseen
      const active = (status.active ?? []).filter(({ uid }) => !missing.some((each) => each.uid === uid));
      const write = statusOf(CronJob, cronJob, cronJobStatus({ ...status, active }));
      return {
        about: cronJob,
        status: write,
        events: [...events, ...missing.map(({ name }) => normal("MissingJob", `Active job went missing: ${name}`))],
        next: (after) => planRun((write && after.of(write)) ?? cronJob, context),
      };
    },
  };
}

/** Starts the run that is due. */
function planRun(cronJob: CronJob, context: CronJobContext): Plan {
  const cleanUp = (current: CronJob): Plan => planCleanUp(current, context);
  if (isDeleting(cronJob) || cronJob.spec?.suspend === true) return cleanUp(cronJob);
  const { schedule, event } = scheduleOf(cronJob, context.rules);
  if (schedule === undefined) return { about: cronJob, events: [event], next: () => cleanUp(cronJob) };
  const { atMs, events } = dueTime(cronJob, schedule, context);
  const then = (current: CronJob): Plan => ({
    reviewInMs: nextRunInMs(current, schedule, context.nowMs, context.rules),
    next: () => cleanUp(current),
  });
  return {
    about: cronJob,
    events,
    next: () => (atMs === undefined ? then(cronJob) : planStart(cronJob, atMs, context, then)),
  };
}

type ParsedSchedule =
  | { readonly schedule: Schedule; readonly event?: undefined }
  | { readonly schedule?: undefined; readonly event: PlannedEvent };

/** Without a schedule: it cannot be read, and the Event says why. */
export function scheduleOf(cronJob: CronJob, rules: ScheduleRules): ParsedSchedule {
  const { schedule = "", timeZone } = cronJob.spec ?? {};
  if (timeZone !== undefined && timeZoneProblems(timeZone).length > 0) {
    return { event: warning("UnknownTimeZone", `invalid timeZone: ${JSON.stringify(timeZone)}`) };
  }
  try {
    return { schedule: parseSchedule(schedule, rules, timeZone === undefined ? localClock : zoneClock(timeZone)) };
  } catch (error) {
    return { event: warning("UnparseableSchedule", `unparseable schedule: ${schedule} : ${messageOf(error)}`) };
  }
}

/** When the run to start now was due; undefined: none is to be started. */
function dueTime(
  cronJob: CronJob,
  schedule: Schedule,
  { nowMs, rules }: CronJobContext,
): { atMs?: number; events: PlannedEvent[] } {
  const { status, spec } = cronJob;
  try {
    const { atMs, events } = dueRun(cronJob, schedule, nowMs, rules);
    if (atMs === undefined) return { events: [...events] };
    const isStarted = (status?.active ?? []).some(({ name }) => name === jobName(cronJob, atMs));
    if (isStarted || status?.lastScheduleTime === timeText(atMs)) return { events: [...events] };
    if (spec?.concurrencyPolicy !== "Forbid" || !status?.active?.length) return { atMs, events: [...events] };
    const message = "Not starting job because prior execution is running and concurrency policy is Forbid";
    return { events: [...events, normal("JobAlreadyActive", message)] };
  } catch (error) {
    return { events: [warning("InvalidSchedule", `invalid schedule: ${spec?.schedule} : ${messageOf(error)}`)] };
  }
}

type Then = (cronJob: CronJob) => Plan;

function planStart(cronJob: CronJob, atMs: number, context: CronJobContext, then: Then): Plan {
  const isReplaced = cronJob.spec?.concurrencyPolicy === "Replace";
  const stopped = isReplaced ? { ...cronJob, status: { ...cronJob.status, active: [] } } : cronJob;
  const active = isReplaced ? (cronJob.status?.active ?? []) : [];
  const job = newJob(stopped, atMs, controllerRef(stopped, context.type), context.timeKey);
  const creation = create(Job, job, {
    tolerates: ["NamespaceTerminating"],
    events: [normal("SuccessfulCreate", `Created job ${job.metadata.name}`)],
    refused(error) {
      if (hasReason(error, "AlreadyExists")) return undefined;
      return warning("FailedCreate", `Error creating job: ${messageOf(error)}`);
    },
  });
  return {
    about: cronJob,
    writes: active.map(({ namespace, name = "" }) => removal({ namespace, name }, "concurrencyPolicy is Replace")),
    next: () => ({
      about: cronJob,
      writes: [creation],
      next(done) {
        const made = done.of(creation);
        return made === undefined ? then(stopped) : recordStart(stopped, made, atMs, context, then);
      },
      failed: (error) => (hasReason(error, "AlreadyExists") ? planJoin(stopped, job, atMs, context, then) : undefined),
    }),
  };
}

/** The run was started just before a restart, and its status was not written: it is written now. */
function planJoin(cronJob: CronJob, { metadata }: Job, atMs: number, context: CronJobContext, then: Then): Plan {
  const { namespace, name = "" } = metadata;
  const existing = { ...read(Job, { namespace, name }), tolerates: [] };
  return {
    recovered: true,
    reads: [existing],
    next(done) {
      const found = done.of(existing);
      if (found !== undefined && controllerOf(found)?.uid === cronJob.metadata.uid)
        return recordStart(cronJob, found, atMs, context, then);
      const message = `Error creating job: jobs "${name}" already exists`;
      return { about: cronJob, events: [warning("FailedCreate", message)], next: () => then(cronJob) };
    },
  };
}

function recordStart(cronJob: CronJob, { metadata }: Job, atMs: number, { jobType }: CronJobContext, then: Then): Plan {
  const { namespace = "", name = "", uid = "", resourceVersion = "" } = metadata;
  const active = [...(cronJob.status?.active ?? []), { ...jobType, namespace, name, uid, resourceVersion }];
  const status = cronJobStatus({ ...cronJob.status, active, lastScheduleTime: timeText(atMs) });
  const write = statusOf(CronJob, cronJob, status);
  return { status: write, next: (done) => then((write && done.of(write)) ?? cronJob) };
}

function planCleanUp(cronJob: CronJob, { jobs }: CronJobContext): Plan {
  const surplus = surplusJobs(cronJob, jobs).filter((job) => !isDeleting(job));
  const reason = "there are more than the history limit";
  return { about: cronJob, writes: surplus.map((job) => removal(splitKey(keyOf(job)), reason)) };
}

const removal = (ref: Ref, reason: string): Request<Job> =>
  remove(
    Job,
    ref,
    { propagationPolicy: "Background", reason },
    {
      tolerates: ["NotFound"],
      events: [normal("SuccessfulDelete", `Deleted job ${ref.name}`)],
      refused: (error) => warning("FailedDelete", `Deleted job: ${messageOf(error)}`),
    },
  );

const normal = (reason: string, message: string): PlannedEvent => ({ type: "Normal", reason, message });
const warning = (reason: string, message: string): PlannedEvent => ({ type: "Warning", reason, message });
