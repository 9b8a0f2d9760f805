import { describe, expect, test } from "vitest";
import { checkName } from "../../../machinery/meta/name-rule.ts";
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

describe("a cron job", () => {
  const cases = [
    { why: "has a schedule", spec: { schedule: "" }, problems: ["Required spec.schedule"] },
    { why: "has a schedule of times", spec: { schedule: "61 * * * *" }, problems: ["Invalid spec.schedule"] },
    { why: "may run by the day", spec: { schedule: "@daily" }, problems: [] },
    {
      why: "does one of three things when the last job still runs",
      spec: { concurrencyPolicy: "Wait" },
      problems: ["NotSupported spec.concurrencyPolicy"],
    },
    {
      why: "counts from zero",
      spec: { startingDeadlineSeconds: -1, successfulJobsHistoryLimit: -1, failedJobsHistoryLimit: -1 },
      problems: [
        "Invalid spec.failedJobsHistoryLimit",
        "Invalid spec.startingDeadlineSeconds",
        "Invalid spec.successfulJobsHistoryLimit",
      ],
    },
    {
      why: "starts jobs whose pods end",
      spec: { jobTemplate: { spec: { template: { spec: { ...pods, restartPolicy: "Always" } } } } },
      problems: ["Required spec.jobTemplate.spec.template.spec.restartPolicy"],
    },
    {
      why: "leaves the selector to its jobs",
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

  test("keeps three successful jobs and a failed one, and allows concurrent ones, in both versions", () => {
    for (const version of ["v1", "v1beta1"]) {
      expect(create(versions.version(version), body()).object["spec"], version).toMatchObject({
        concurrencyPolicy: "Allow",
        suspend: false,
        successfulJobsHistoryLimit: 3,
        failedJobsHistoryLimit: 1,
      });
    }
  });

  test("leaves room in its name for those of its jobs", () => {
    const problems = (name: string, generated = false) =>
      checkName(kind.life.name ?? "subdomain", name, kind.family.environment, generated);
    expect(problems("x".repeat(52))).toEqual([]);
    expect(problems("x".repeat(53))).toHaveLength(1);
    expect(problems("x-", true)).toEqual([]);
    // The name that comes of it is too long, which is said of the name.
    expect(problems("x".repeat(53), true)).toEqual([]);
  });

  test("shows its schedule and what it does", () => {
    const row = (spec: object) => tableRow(kind, create(kind, body(spec)).object, kind.family.environment).slice(0, 5);
    expect(row({})).toEqual(["x", "*/5 * * * *", "False", 0, "<none>"]);
    expect(row({ suspend: true })[2]).toBe("True");
  });
});
