import { describe, expect, test } from "vitest";
import type { CronJob, CronJobSpec, CronJobStatus } from "../../api/batch/v1/cron-job.ts";
import type { Job } from "../../api/batch/v1/job.ts";
import type { AnyObject } from "../../client/contract.ts";
import { StatusError } from "../../machinery/status/status.ts";
import { carriedOut } from "../plan.suite.ts";
import { type CronJobContext, planCronJob, scheduleOf } from "./reconcile.ts";
import { zonedTimeText } from "./zone-clock.ts";

const type = { apiVersion: "batch/v1", kind: "CronJob" };
const jobType = { apiVersion: "batch/v1", kind: "Job" };
const rules = { areExact: true, hasZones: true, hasStepsOfDays: true };
const nowMs = new Date(2021, 4, 1, 10, 30, 30).getTime();
const runMs = new Date(2021, 4, 1, 10, 30).getTime();
const before = new Date(2021, 4, 1, 10, 25).toISOString().replace(".000", "");
const runName = `c-${runMs / 60_000}`;
const cronJobOf = (spec: Partial<CronJobSpec> = {}, status: CronJobStatus = {}): CronJob => ({
  metadata: { name: "c", namespace: "ns", uid: "u", creationTimestamp: before },
  spec: { schedule: "*/10 * * * *", jobTemplate: { spec: {} as never }, ...spec },
  status: { lastScheduleTime: before, ...status },
});
const reference = (name: string) => ({ ...jobType, namespace: "ns", name, uid: `uid-${name}` });
const jobOf = (name: string, ended?: "Complete" | "Failed"): Job => ({
  metadata: { name, namespace: "ns", uid: `uid-${name}` },
  ...(ended ? { status: { conditions: [{ type: ended, status: "True" }] } } : {}),
});
const refusal = (reason: "AlreadyExists" | "Forbidden" | "NotFound", message = "no") =>
  new StatusError(reason, message);

async function pass(cronJob: CronJob, jobs: readonly Job[] = [], answer?: (request: string) => AnyObject | undefined) {
  const context: CronJobContext = { jobs, nowMs, type, jobType, rules };
  return await carriedOut(planCronJob(cronJob, context), answer);
}
/** The next run, and a little. */
const again = "again in 570100";

describe("a run that is due", () => {
  test("is started, recorded in the status, and the next one is waited for", async () => {
    const { log, sent } = await pass(cronJobOf());
    expect(log).toEqual([
      `create jobs ns/${runName}`,
      `Normal SuccessfulCreate: Created job ${runName}`,
      "updateStatus cronjobs ns/c",
      again,
    ]);
    expect(sent[0]?.metadata.ownerReferences).toEqual([
      { ...type, name: "c", uid: "u", controller: true, blockOwnerDeletion: true },
    ]);
    expect((sent[1] as CronJob).status?.active).toMatchObject([{ ...jobType, namespace: "ns", name: runName }]);
  });

  test("is named by its job since 1.28, in the zone of the schedule", async () => {
    const timeKey = "batch.orch.io/cronjob-scheduled-timestamp";
    const context: CronJobContext = { jobs: [], nowMs, type, jobType, timeKey, rules };
    const annotationsOf = async (spec: Partial<CronJobSpec>) =>
      (await carriedOut(planCronJob(cronJobOf(spec), context))).sent[0]?.metadata.annotations;
    const due = Number(runName.replace("c-", "")) * 60_000;
    const utc = `${new Date(due).toISOString().slice(0, 19)}Z`;
    expect(await annotationsOf({})).toEqual({ [timeKey]: utc });
    const there = `${new Date(due + 5.5 * 3_600_000).toISOString().slice(0, 19)}+05:30`;
    expect(await annotationsOf({ timeZone: "Asia/Kolkata" })).toEqual({ [timeKey]: there });
    expect(zonedTimeText(due, "Etc/UTC")).toBe(utc);
    expect(zonedTimeText(Date.parse("2021-01-10T12:00:00Z"), "America/St_Johns")).toBe("2021-01-10T08:30:00-03:30");
  });

  test("is not started twice, nor while the CronJob is suspended or being deleted", async () => {
    const started = cronJobOf({}, { active: [reference(runName)] });
    expect((await pass(started, [jobOf(runName)])).log).toEqual([again]);
    expect((await pass(cronJobOf({ suspend: true }))).log).toEqual([]);
    const deleted = cronJobOf();
    deleted.metadata.deletionTimestamp = before;
    expect((await pass(deleted)).log).toEqual([]);
  });

  test("waits with Forbid while another runs", async () => {
    const cronJob = cronJobOf({ concurrencyPolicy: "Forbid" }, { active: [reference("c-1")] });
    const message = "Not starting job because prior execution is running and concurrency policy is Forbid";
    expect((await pass(cronJob, [jobOf("c-1")])).log).toEqual([`Normal JobAlreadyActive: ${message}`, again]);
  });

  test("replaces the one that runs with Replace", async () => {
    const cronJob = cronJobOf({ concurrencyPolicy: "Replace" }, { active: [reference("c-1")] });
    const { log, sent } = await pass(cronJob, [jobOf("c-1")]);
    expect(log).toEqual([
      "delete jobs ns/c-1",
      "Normal SuccessfulDelete: Deleted job c-1",
      `create jobs ns/${runName}`,
      `Normal SuccessfulCreate: Created job ${runName}`,
      "updateStatus cronjobs ns/c",
      again,
    ]);
    expect((sent[1] as CronJob).status?.active).toHaveLength(1);
  });

  test("that the server refuses is reported, and tried again", async () => {
    const { log, error } = await pass(cronJobOf(), [], () => {
      throw refusal("Forbidden", "quota");
    });
    expect(log).toEqual([`create jobs ns/${runName}`, "Warning FailedCreate: Error creating job: quota"]);
    expect(error).toBeInstanceOf(StatusError);
  });
});

describe("a run that exists already", () => {
  const existing = (owner: string) => (request: string) => {
    if (request.startsWith("create")) throw refusal("AlreadyExists");
    if (!request.startsWith("get")) return undefined;
    const ownerReferences = [{ ...type, name: "c", uid: owner, controller: true }];
    return { metadata: { name: runName, namespace: "ns", uid: "j", ownerReferences } };
  };
  test("is recorded when it is our own", async () => {
    expect((await pass(cronJobOf(), [], existing("u"))).log).toEqual([
      `create jobs ns/${runName}`,
      `get jobs ns/${runName}`,
      "updateStatus cronjobs ns/c",
      again,
    ]);
  });
  test("is reported when it is another's", async () => {
    const message = `Warning FailedCreate: Error creating job: jobs "${runName}" already exists`;
    expect((await pass(cronJobOf(), [], existing("other"))).log.slice(2)).toEqual([message, again]);
  });
});

describe("jobs", () => {
  const done = { lastScheduleTime: new Date(runMs).toISOString().replace(".000", "") };

  test("that ended or went missing leave the status", async () => {
    const cronJob = cronJobOf({}, { ...done, active: [reference("c-1"), reference("c-2")] });
    const { log, sent } = await pass(cronJob, [jobOf("c-1", "Complete")], (request) => {
      if (request === "get jobs ns/c-2") throw refusal("NotFound");
      return undefined;
    });
    expect(log).toEqual([
      "get jobs ns/c-2",
      "updateStatus cronjobs ns/c",
      "Normal SawCompletedJob: Saw completed job: c-1, status: Complete",
      "Normal MissingJob: Active job went missing: c-2",
      again,
    ]);
    expect((sent[0] as CronJob).status).toEqual(done);
  });

  test("that the cached status does not list are compared with the status of the server", async () => {
    const live = cronJobOf({}, { ...done, active: [reference("c-1")] });
    const { log } = await pass(cronJobOf({}, done), [jobOf("c-1")], (request) =>
      request === "get cronjobs ns/c" ? live : undefined,
    );
    expect(log).toEqual(["get cronjobs ns/c", again]);
  });

  test("beyond the history limit are deleted, and a refusal is reported", async () => {
    const cronJob = cronJobOf({ failedJobsHistoryLimit: 0 }, done);
    const { log, error } = await pass(cronJob, [jobOf("c-1", "Failed")], () => {
      throw refusal("Forbidden", "not yours");
    });
    expect(log).toEqual([again, "delete jobs ns/c-1", "Warning FailedDelete: Deleted job: not yours"]);
    expect(error).toBeInstanceOf(StatusError);
  });
});

test("a schedule that cannot be read is reported, and old jobs are still deleted", async () => {
  const { log } = await pass(cronJobOf({ schedule: "x", failedJobsHistoryLimit: 0 }), [jobOf("c-1", "Failed")]);
  expect(log[0]).toMatch(/^Warning UnparseableSchedule: unparseable schedule: x : /);
  expect(log.slice(1)).toEqual(["delete jobs ns/c-1", "Normal SuccessfulDelete: Deleted job c-1"]);
});

test("an unknown time zone is reported", async () => {
  const { log } = await pass(cronJobOf({ timeZone: "Europe/Atlantis" }), []);
  expect(log[0]).toBe('Warning UnknownTimeZone: invalid timeZone: "Europe/Atlantis"');
});

test("a schedule is read in its time zone", () => {
  const { schedule } = scheduleOf(cronJobOf({ schedule: "0 9 * * *", timeZone: "Asia/Tokyo" }), rules);
  expect(schedule?.next(Date.parse("2021-05-01T00:30:00Z"))).toBe(Date.parse("2021-05-02T00:00:00Z"));
});
