import { describe, expect, test } from "vitest";
import { checkName } from "../../../machinery/meta/name-rule.ts";
import type { Level } from "../../../machinery/schema/levels.ts";
import { tableRow } from "../../../machinery/table/table.ts";
import { bindVersions, create, update } from "../../life.suite.ts";
import { CronJob as Beta } from "../v1beta1/cron-job.ts";
import { CronJob } from "./cron-job.ts";

const versions = bindVersions([CronJob, Beta]);
const kind = versions.version("v1");
const metadata = { name: "x" };
const pods = { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] };
const jobTemplate = { spec: { template: { spec: pods } } };
const body = (spec: object = {}) => ({ metadata, spec: { schedule: "*/5 * * * *", jobTemplate, ...spec } });

test("a schedule may name its time zone from 1.22 to 1.28, if it is known", () => {
  const schedules = [
    "TZ=Asia/Tokyo 0 9 * * *",
    "CRON_TZ=UTC @daily",
    "TZ=Local * * * * *",
    "TZ=Nowhere 0 9 * * *",
    "TZ=UTC",
  ];
  const takenAt = (level: Level) => {
    const cronJobs = bindVersions([CronJob, Beta], {}, level).version("v1");
    return schedules.filter((schedule) => create(cronJobs, body({ schedule })).problems.length === 0);
  };
  expect((["1.21", "1.24", "1.28", "1.35"] as const).map(takenAt)).toEqual([
    [],
    schedules.slice(0, 3),
    schedules.slice(0, 3),
    [],
  ]);
});

describe("a cron job", () => {
  const cases = [
    { why: "must have a schedule", spec: { schedule: "" }, problems: ["Required spec.schedule"] },
    { why: "must have a valid schedule", spec: { schedule: "61 * * * *" }, problems: ["Invalid spec.schedule"] },
    { why: "may have a schedule such as @daily", spec: { schedule: "@daily" }, problems: [] },
    {
      why: "must have a known concurrency policy",
      spec: { concurrencyPolicy: "Wait" },
      problems: ["NotSupported spec.concurrencyPolicy"],
    },
    {
      why: "must not have negative counts",
      spec: { startingDeadlineSeconds: -1, successfulJobsHistoryLimit: -1, failedJobsHistoryLimit: -1 },
      problems: [
        "Invalid spec.failedJobsHistoryLimit",
        "Invalid spec.startingDeadlineSeconds",
        "Invalid spec.successfulJobsHistoryLimit",
      ],
    },
    {
      why: "must not have the restart policy Always",
      spec: { jobTemplate: { spec: { template: { spec: { ...pods, restartPolicy: "Always" } } } } },
      problems: ["Required spec.jobTemplate.spec.template.spec.restartPolicy"],
    },
    {
      why: "must not set the selector of its jobs",
      spec: { jobTemplate: { spec: { manualSelector: true, template: { spec: pods } } } },
      problems: ["NotSupported spec.jobTemplate.spec.manualSelector"],
    },
  ];
  for (const { why, spec, problems } of cases) {
    test(why, () => {
      expect(create(kind, body(spec)).problems).toEqual(problems);
      expect(update(kind, body(spec), create(kind, body())).problems).toEqual(problems);
    });
  }

  test("defaults to three successful jobs, one failed job and concurrent runs in both versions", () => {
    for (const version of ["v1", "v1beta1"]) {
      expect(create(versions.version(version), body()).object["spec"], version).toMatchObject({
        concurrencyPolicy: "Allow",
        suspend: false,
        successfulJobsHistoryLimit: 3,
        failedJobsHistoryLimit: 1,
      });
    }
  });

  test("must have a name short enough for the suffix of its jobs", () => {
    const problems = (name: string, generated = false) =>
      checkName(kind.strategy.name ?? "subdomain", name, kind.family.environment, generated);
    expect(problems("x".repeat(52))).toEqual([]);
    expect(problems("x".repeat(53))).toHaveLength(1);
    expect(problems("x-", true)).toEqual([]);
    // The resulting name is too long, which is reported for the name.
    expect(problems("x".repeat(53), true)).toEqual([]);
  });

  test("shows its schedule, suspension and jobs in its row", () => {
    const row = (spec: object) => tableRow(kind, create(kind, body(spec)).object, kind.family.environment).slice(0, 5);
    expect(row({})).toEqual(["x", "*/5 * * * *", "False", 0, "<none>"]);
    expect(row({ suspend: true })[2]).toBe("True");
  });
});
