import { describe, expect, test } from "vitest";
import type { CronJob } from "../../api/batch/v1/cron-job.ts";
import { timeText } from "../../machinery/values/time.ts";
import { dueRun, nextRunInMs } from "./runs.ts";
import { parseSchedule, type Schedule } from "./schedule.ts";

const lastMs = Date.UTC(2026, 0, 1);
const yearMs = 365 * 24 * 3_600_000;

function cronJobOf(schedule: string): CronJob {
  const spec = { schedule, jobTemplate: { spec: { template: {} } } };
  return { metadata: { name: "x" }, spec, status: { lastScheduleTime: timeText(lastMs) } } as object as CronJob;
}

const scheduleRules = { hasZones: true, hasStepsOfDays: true };

/** The schedule, and how often it is asked. */
function counted(text: string): { readonly schedule: Schedule; asked(): number } {
  const schedule = parseSchedule(text, scheduleRules);
  let asked = 0;
  const next = (ms: number) => {
    asked++;
    return schedule.next(ms);
  };
  return { schedule: { next }, asked: () => asked };
}

describe.each([{ areExact: true }, { areExact: false }])("where runs that are exact are $areExact", (rules) => {
  for (const text of ["* * * * *", "0 0 * * 1-5", "0 0 29 2 *", "@every 1s"])
    test(`a clock that was set forward by ten years is one run of ${text}, found in few steps`, () => {
      const { schedule, asked } = counted(text);
      const nowMs = lastMs + 10 * yearMs;
      const { atMs } = dueRun(cronJobOf(text), schedule, nowMs, rules);
      expect(atMs).toBeGreaterThan(lastMs);
      expect(atMs).toBeLessThanOrEqual(nowMs);
      expect(nextRunInMs(cronJobOf(text), schedule, nowMs, rules)).toBeGreaterThan(0);
      expect(asked()).toBeLessThan(500);
    });

  test("a clock that was set back by ten years has no run that is due, and waits for the next", () => {
    const { schedule, asked } = counted("* * * * *");
    const nowMs = lastMs - 10 * yearMs;
    expect(dueRun(cronJobOf("* * * * *"), schedule, nowMs, rules)).toEqual({ events: [] });
    expect(nextRunInMs(cronJobOf("* * * * *"), schedule, nowMs, rules)).toBeGreaterThan(0);
    expect(asked()).toBeLessThan(10);
  });
});
