/** cronjob: every CronJob starts jobs at the times of its schedule. */

import { CronJob, type CronJobStatus } from "../../api/batch/v1/cron-job.ts";
import { Job } from "../../api/batch/v1/job.ts";
import { typeOf } from "../../client/contract.ts";
import { keyOf, splitKey } from "../../client/informer/keys.ts";
import { hasReason, isNamespaceTerminating } from "../../client/requests/send.ts";
import { sameValue } from "../../machinery/schema/same-value.ts";
import { timeText } from "../../machinery/values/time.ts";
import type { Controller, ControllerContext } from "../contract.ts";
import { byController } from "../parts/ownership/by-controller.ts";
import { controllerOf, controllerRef } from "../parts/ownership/controller-ref.ts";
import { isDeleting } from "../parts/pods/state.ts";
import type { PlannedEvent } from "../plan.ts";
import { messageOf } from "../plan.ts";
import { dueRun, jobName, newJob, nextRunInMs, observeJobs, statusOf, surplusJobs } from "./reconcile.ts";
import { parseSchedule, type Schedule } from "./schedule.ts";

/** v1.21 has no flag for it. */
const workers = 5;

export const cronJobController: Controller = { name: "cronjob", account: "cronjob-controller", start: startCronJobs };

function startCronJobs(context: ControllerContext) {
  const { client, informers, clock } = context;
  const cronJobs = informers.of(CronJob);
  const jobs = informers.of(Job);
  const jobsOf = byController(jobs);
  const recorder = context.recorder("cronjob-controller");
  const type = typeOf(cronJobs.address);
  const jobType = typeOf(jobs.address);
  const record = (cronJob: CronJob, { type: kind, reason, message }: PlannedEvent) =>
    recorder.event(cronJob, kind, reason, message);

  const queue = context.queue({
    workers,
    after: [cronJobs, jobs],
    async sync(key) {
      const cached = cronJobs.get(key);
      if (cached === undefined) return;
      const owned = jobsOf.ownedBy(cached);
      const observed = await observe(await newest(cached, owned), owned);
      const cronJob = await startDueJob(key, observed);
      await cleanUp(cronJob, owned);
    },
  });

  /** The cache may already have a job and not yet the status that lists it. */
  async function newest(cached: CronJob, owned: readonly Job[]): Promise<CronJob> {
    const isSurprised = observeJobs(cached, owned).events.some(({ reason }) => reason === "UnexpectedJob");
    return isSurprised ? await client.of(CronJob).get(splitKey(keyOf(cached))) : cached;
  }

  /** The CronJob with a status that matches its present jobs. */
  async function observe(cached: CronJob, owned: readonly Job[]): Promise<CronJob> {
    const { status, events, unseen } = observeJobs(cached, owned);
    const missing = new Set<string | undefined>();
    const planned = [...events];
    for (const { namespace, name = "", uid } of unseen) {
      if (await exists(namespace, name)) continue;
      missing.add(uid);
      planned.push({ type: "Normal", reason: "MissingJob", message: `Active job went missing: ${name}` });
    }
    const active = (status.active ?? []).filter(({ uid }) => !missing.has(uid));
    const next = await writeStatus(cached, { ...status, active });
    for (const event of planned) record(cached, event);
    return next;
  }

  async function exists(namespace: string | undefined, name: string): Promise<boolean> {
    try {
      await client.of(Job).get({ namespace, name });
      return true;
    } catch (error) {
      if (hasReason(error, "NotFound")) return false;
      throw error;
    }
  }

  async function writeStatus(cronJob: CronJob, parts: CronJobStatus): Promise<CronJob> {
    const status = statusOf(parts);
    if (sameValue(cronJob.status, status)) return cronJob;
    return await client.of(CronJob).updateStatus({ ...cronJob, status });
  }

  async function startDueJob(key: string, cronJob: CronJob): Promise<CronJob> {
    if (isDeleting(cronJob) || cronJob.spec?.suspend === true) return cronJob;
    const schedule = scheduleOf(cronJob);
    if (schedule === undefined) return cronJob;
    const nowMs = clock.now();
    const atMs = dueTime(cronJob, schedule, nowMs);
    const next = atMs === undefined ? cronJob : await startJob(cronJob, atMs);
    const inMs = nextRunInMs(schedule, nowMs);
    if (inMs !== undefined) queue.addAfter(key, inMs);
    return next;
  }

  /** Undefined: it cannot be read, and an event has reported that. */
  function scheduleOf(cronJob: CronJob): Schedule | undefined {
    const { schedule = "" } = cronJob.spec ?? {};
    try {
      return parseSchedule(schedule);
    } catch (error) {
      const message = `unparseable schedule: ${schedule} : ${messageOf(error)}`;
      record(cronJob, { type: "Warning", reason: "UnparseableSchedule", message });
      return undefined;
    }
  }

  /** When the run to start now was due; undefined: none is to be started. */
  function dueTime(cronJob: CronJob, schedule: Schedule, nowMs: number): number | undefined {
    const { status, spec } = cronJob;
    try {
      const { atMs, events } = dueRun(cronJob, schedule, nowMs);
      for (const event of events) record(cronJob, event);
      if (atMs === undefined) return undefined;
      const isStarted = (status?.active ?? []).some(({ name }) => name === jobName(cronJob, atMs));
      if (isStarted || status?.lastScheduleTime === timeText(atMs)) return undefined;
      if (spec?.concurrencyPolicy !== "Forbid" || !status?.active?.length) return atMs;
      const message = "Not starting job because prior execution is running and concurrency policy is Forbid";
      record(cronJob, { type: "Normal", reason: "JobAlreadyActive", message });
    } catch (error) {
      const message = `invalid schedule: ${spec?.schedule} : ${messageOf(error)}`;
      record(cronJob, { type: "Warning", reason: "InvalidSchedule", message });
    }
    return undefined;
  }

  async function startJob(cronJob: CronJob, atMs: number): Promise<CronJob> {
    const stopped = cronJob.spec?.concurrencyPolicy === "Replace" ? await stopActive(cronJob) : cronJob;
    const job = newJob(stopped, atMs, controllerRef(stopped, type));
    let made: Job;
    try {
      made = await client.of(Job).create(job);
    } catch (error) {
      if (isNamespaceTerminating(error)) return stopped;
      if (hasReason(error, "AlreadyExists")) return await joinJob(stopped, job, atMs);
      record(stopped, { type: "Warning", reason: "FailedCreate", message: `Error creating job: ${messageOf(error)}` });
      throw error;
    }
    record(stopped, { type: "Normal", reason: "SuccessfulCreate", message: `Created job ${made.metadata.name}` });
    return await noteStart(stopped, made, atMs);
  }

  /** The run was started just before a restart, and its status was not written: it is written now. */
  async function joinJob(cronJob: CronJob, { metadata }: Job, atMs: number): Promise<CronJob> {
    const { namespace, name = "" } = metadata;
    const found = await client.of(Job).get({ namespace, name });
    if (controllerOf(found)?.uid !== cronJob.metadata.uid) {
      const message = `Error creating job: jobs "${name}" already exists`;
      record(cronJob, { type: "Warning", reason: "FailedCreate", message });
      return cronJob;
    }
    return await noteStart(cronJob, found, atMs);
  }

  function noteStart(cronJob: CronJob, { metadata }: Job, atMs: number): Promise<CronJob> {
    const { namespace = "", name = "", uid = "", resourceVersion = "" } = metadata;
    const reference = { ...jobType, namespace, name, uid, resourceVersion };
    const active = [...(cronJob.status?.active ?? []), reference];
    return writeStatus(cronJob, { ...cronJob.status, active, lastScheduleTime: timeText(atMs) });
  }

  async function stopActive(cronJob: CronJob): Promise<CronJob> {
    let active = cronJob.status?.active ?? [];
    for (const { namespace, name = "", uid } of active) {
      await remove(cronJob, { namespace, name }, "concurrencyPolicy is Replace");
      active = active.filter((other) => other.uid !== uid);
    }
    return { ...cronJob, status: { ...cronJob.status, active } };
  }

  async function cleanUp(cronJob: CronJob, owned: readonly Job[]): Promise<void> {
    for (const job of surplusJobs(cronJob, owned)) {
      if (!isDeleting(job)) await remove(cronJob, splitKey(keyOf(job)), "there are more than the history limit");
    }
  }

  async function remove(
    cronJob: CronJob,
    ref: { namespace?: string | undefined; name: string },
    reason: string,
  ): Promise<void> {
    try {
      await client.of(Job).delete(ref, { propagationPolicy: "Background", reason });
    } catch (error) {
      if (hasReason(error, "NotFound")) return;
      record(cronJob, { type: "Warning", reason: "FailedDelete", message: `Deleted job: ${messageOf(error)}` });
      throw error;
    }
    record(cronJob, { type: "Normal", reason: "SuccessfulDelete", message: `Deleted job ${ref.name}` });
  }

  cronJobs.on({
    add: (cronJob) => queue.add(keyOf(cronJob)),
    update(cronJob, old) {
      const schedule = cronJob.spec?.schedule === old.spec?.schedule ? undefined : scheduleOf(cronJob);
      // A new schedule takes effect with its next run.
      if (schedule === undefined) queue.add(keyOf(cronJob));
      else queue.addAfter(keyOf(cronJob), nextRunInMs(schedule, clock.now()) ?? 0);
    },
  });
  const tellOwner = (job: Job) => {
    const owner = controllerOf(job);
    if (owner?.kind === type.kind) queue.add(`${job.metadata.namespace}/${owner.name}`);
  };
  jobs.on({
    add: tellOwner,
    update(job, old) {
      tellOwner(job);
      if (controllerOf(old)?.uid !== controllerOf(job)?.uid) tellOwner(old);
    },
    delete: tellOwner,
  });
  return queue;
}
