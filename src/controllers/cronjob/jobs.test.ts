import { describe, expect, test } from "vitest";
import type { CronJob, CronJobSpec, CronJobStatus } from "../../api/batch/v1/cron-job.ts";
import type { Job } from "../../api/batch/v1/job.ts";
import { jobName, observeJobs, surplusJobs } from "./jobs.ts";
import { dueRun, nextRunInMs } from "./runs.ts";
import { parseSchedule } from "./schedule.ts";
import { zoneClock } from "./zone-clock.ts";

const scheduleRules = { hasZones: true, hasStepsOfDays: true };
const nowMs = Date.parse("2021-05-01T10:30:30Z");
const cronJobOf = (spec: Partial<CronJobSpec> = {}, status?: CronJobStatus): CronJob => ({
  metadata: { name: "c", namespace: "ns", creationTimestamp: "2021-05-01T10:00:00Z" },
  spec: { schedule: "*/10 * * * *", jobTemplate: {}, ...spec },
  ...(status ? { status } : {}),
});
const due = (spec: Partial<CronJobSpec>, status?: CronJobStatus, areExact = false) => {
  const cronJob = cronJobOf(spec, status);
  const schedule = parseSchedule(cronJob.spec?.schedule ?? "", scheduleRules, zoneClock("UTC"));
  const { atMs, events } = dueRun(cronJob, schedule, nowMs, { areExact });
  return [
    atMs === undefined ? undefined : new Date(atMs).toISOString().slice(11, 16),
    ...events.map(({ reason }) => reason),
  ];
};

describe("the run that is due", () => {
  const last = (lastScheduleTime: string) => ({ lastScheduleTime });
  const rows = [
    { why: "is the latest missed one", spec: {}, status: undefined, due: ["10:30"] },
    {
      why: "is undefined when the last one was started",
      spec: {},
      status: last("2021-05-01T10:30:00Z"),
      due: [undefined],
    },
    {
      why: "is reported when many were missed",
      spec: { schedule: "* * * * *" },
      status: last("2021-05-01T01:00:00Z"),
      due: ["10:30", "TooManyMissedTimes"],
    },
    {
      why: "is within the deadline",
      spec: { startingDeadlineSeconds: 40 },
      status: last("2021-05-01T01:00:00Z"),
      due: ["10:30"],
    },
    {
      why: "is skipped after the deadline",
      spec: { startingDeadlineSeconds: 20 },
      status: last("2021-05-01T01:00:00Z"),
      due: [undefined],
    },
    {
      why: "is not due while the last scheduled time is in the future",
      spec: {},
      status: last("2021-05-01T11:00:00Z"),
      due: [undefined],
    },
  ];
  for (const row of rows)
    test(row.why, () => {
      expect(due(row.spec, row.status)).toEqual(row.due);
      expect(due(row.spec, row.status, true)).toEqual(row.due);
    });

  const uneven = [
    {
      why: "a run after the estimate",
      schedule: "0,20,28 * * * *",
      last: "2021-05-01T09:28:00Z",
      before: "10:20",
      exact: "10:28",
    },
    {
      why: "a time at which no run is due",
      schedule: "0,10 * * * *",
      last: "2021-05-01T09:10:00Z",
      before: "10:30",
      exact: undefined,
    },
    {
      why: "a long pause before many runs",
      schedule: "* * * 5-12 *",
      last: "2020-12-31T23:58:00Z",
      before: "00:00",
      exact: "10:30",
    },
    {
      why: "a duration",
      schedule: "@every 7m",
      last: "2021-05-01T10:01:00Z",
      before: "10:29",
      exact: "10:29",
    },
  ];
  for (const { why, schedule, last: lastScheduleTime, before, exact } of uneven)
    test(`is estimated until 1.28, and one of the schedule since then: ${why}`, () => {
      expect(due({ schedule }, { lastScheduleTime })).toEqual([before]);
      expect(due({ schedule }, { lastScheduleTime }, true)).toEqual([exact]);
    });

  test("is found at once among hundreds of thousands", () => {
    const schedule = parseSchedule("* * * 5-12 *", scheduleRules, zoneClock("UTC"));
    let asked = 0;
    const counted = {
      next(ms: number) {
        asked += 1;
        return schedule.next(ms);
      },
    };
    const cronJob = cronJobOf({}, { lastScheduleTime: "2020-12-31T23:58:00Z" });
    const late = Date.parse("2021-12-01T12:34:56Z");
    const { atMs } = dueRun(cronJob, counted, late, { areExact: true });
    expect(new Date(atMs ?? 0).toISOString()).toBe("2021-12-01T12:34:00.000Z");
    expect(asked).toBeLessThan(200);
  });

  test("is followed by the next one of a duration after the last, since 1.28", () => {
    const cronJob = cronJobOf({ schedule: "@every 7m" }, { lastScheduleTime: "2021-05-01T10:29:00Z" });
    const schedule = parseSchedule("@every 7m", scheduleRules);
    expect(nextRunInMs(cronJob, schedule, nowMs, { areExact: false })).toBe(7 * 60_000 + 100);
    expect(nextRunInMs(cronJob, schedule, nowMs, { areExact: true })).toBe(5.5 * 60_000 + 100);
  });

  test("fails for a schedule that never matches", () => {
    const problem = "time difference between two schedules";
    expect(() => due({ schedule: "0 0 31 2 *" })).toThrow(`${problem} less than 1 second`);
    expect(() => due({ schedule: "0 0 31 2 *" }, undefined, true)).toThrow(`${problem} is less than 1 second`);
  });
  test("has a job named after its time", () => {
    expect(jobName(cronJobOf(), Date.parse("2021-05-01T10:30:00Z"))).toBe("c-26997750");
  });
});

const jobOf = (
  name: string,
  parts: { ended?: "Complete" | "Failed"; started?: string; completed?: string } = {},
): Job => ({
  metadata: { name, uid: `uid-${name}` },
  status: {
    ...(parts.started ? { startTime: parts.started } : {}),
    ...(parts.completed ? { completionTime: parts.completed } : {}),
    ...(parts.ended ? { conditions: [{ type: parts.ended, status: "True" }] } : {}),
  },
});

describe("the status of its jobs", () => {
  const active = [
    { name: "a", uid: "uid-a" },
    { name: "b", uid: "uid-b" },
  ];
  test("a finished one leaves the list", () => {
    const jobs = [jobOf("a", { ended: "Complete", completed: "2021-05-01T10:20:00Z" }), jobOf("b")];
    const { status, events, unseen } = observeJobs(cronJobOf({}, { active }), jobs);
    expect(status).toEqual({ active: [active[1]], lastSuccessfulTime: "2021-05-01T10:20:00Z" });
    expect(events).toEqual([
      { type: "Normal", reason: "SawCompletedJob", message: "Saw completed job: a, status: Complete" },
    ]);
    expect(unseen).toEqual([]);
  });
  test("one that failed is not a success", () => {
    const { status } = observeJobs(cronJobOf({}, { active: active.slice(0, 1) }), [jobOf("a", { ended: "Failed" })]);
    expect(status).toEqual({});
  });
  test("a missing one must be read from the server", () => {
    expect(observeJobs(cronJobOf({}, { active }), [jobOf("a")]).unseen).toEqual([active[1]]);
  });
  test("an unexpected job is reported", () => {
    expect(observeJobs(cronJobOf(), [jobOf("x")]).events[0]?.reason).toBe("UnexpectedJob");
  });
});

test("the oldest finished jobs are deleted, beyond the limit of each type", () => {
  const jobs = [
    jobOf("new", { ended: "Complete", started: "2021-05-01T03:00:00Z" }),
    jobOf("old", { ended: "Complete", started: "2021-05-01T01:00:00Z" }),
    jobOf("mid", { ended: "Complete", started: "2021-05-01T02:00:00Z" }),
    jobOf("bad", { ended: "Failed" }),
    jobOf("run"),
  ];
  const names = (spec: Partial<CronJobSpec>) => surplusJobs(cronJobOf(spec), jobs).map(({ metadata }) => metadata.name);
  expect(names({ successfulJobsHistoryLimit: 1, failedJobsHistoryLimit: 1 })).toEqual(["old", "mid"]);
  expect(names({ successfulJobsHistoryLimit: 3, failedJobsHistoryLimit: 0 })).toEqual(["bad"]);
  expect(names({})).toEqual([]);
});
