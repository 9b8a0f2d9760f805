import { describe, expect, test } from "vitest";
import { parseSchedule, type ScheduleRules } from "./schedule.ts";
import { zoneClock } from "./zone-clock.ts";

const utc = zoneClock("UTC");
const old: ScheduleRules = { hasZones: false, hasStepsOfDays: false };
const later: ScheduleRules = { hasZones: true, hasStepsOfDays: true };
const next = (schedule: string, from: string, clock = utc, rules = old) => {
  const ms = parseSchedule(schedule, rules, clock).next(Date.parse(from));
  return ms === undefined ? undefined : new Date(ms).toISOString().replace(":00.000", "");
};

describe("the next run", () => {
  const rows = [
    { schedule: "* * * * *", from: "2021-05-01T10:00:30Z", at: "2021-05-01T10:01Z" },
    { schedule: "* * * * *", from: "2021-05-01T10:00:00Z", at: "2021-05-01T10:01Z" },
    { schedule: "*/15 * * * *", from: "2021-05-01T10:46:00Z", at: "2021-05-01T11:00Z" },
    { schedule: "20/15 * * * *", from: "2021-05-01T10:21:00Z", at: "2021-05-01T10:35Z" },
    { schedule: "0 0 1 1 *", from: "2021-05-01T10:00:00Z", at: "2022-01-01T00:00Z" },
    { schedule: "0 9-17/4 * * mon-fri", from: "2021-05-01T10:00:00Z", at: "2021-05-03T09:00Z" },
    { schedule: "0 0 13 * fri", from: "2021-05-08T00:00:00Z", at: "2021-05-13T00:00Z" },
    { schedule: "0 0 13 * fri", from: "2021-05-13T00:00:00Z", at: "2021-05-14T00:00Z" },
    { schedule: "0 0 13 * *", from: "2021-05-13T00:00:00Z", at: "2021-06-13T00:00Z" },
    { schedule: "0 0 29 feb ?", from: "2021-05-01T00:00:00Z", at: "2024-02-29T00:00Z" },
    { schedule: "0 0 31 2 *", from: "2021-05-01T00:00:00Z", at: undefined },
    { schedule: "+5 007 */+2 * *", from: "2021-05-01T08:00:00Z", at: "2021-05-03T07:05Z" },
    { schedule: "@hourly", from: "2021-05-01T10:00:30Z", at: "2021-05-01T11:00Z" },
    { schedule: "@weekly", from: "2021-05-01T10:00:30Z", at: "2021-05-02T00:00Z" },
    { schedule: "@every 1h30m", from: "2021-05-01T10:00:00Z", at: "2021-05-01T11:30Z" },
  ];
  for (const { schedule, from, at } of rows)
    test(`${schedule} after ${from}`, () => expect(next(schedule, from)).toBe(at));
});

describe("daylight saving time", () => {
  const rows = [
    {
      why: "times are local",
      zone: "America/New_York",
      schedule: "0 8 * * *",
      from: "2021-05-01T00:00:00Z",
      at: "2021-05-01T12:00Z",
    },
    {
      why: "an hour that is skipped has no run",
      zone: "Europe/Paris",
      schedule: "30 2 * * *",
      from: "2021-03-27T12:00:00Z",
      at: "2021-03-29T00:30Z",
    },
    {
      why: "an hour that occurs twice has two runs",
      zone: "Europe/Paris",
      schedule: "30 2 * * *",
      from: "2021-10-31T00:30:00Z",
      at: "2021-10-31T01:30Z",
    },
    {
      why: "a day without midnight begins later",
      zone: "America/Sao_Paulo",
      schedule: "0 * 4 11 *",
      from: "2018-11-03T12:00:00Z",
      at: "2018-11-04T03:00Z",
    },
  ];
  for (const { why, zone, schedule, from, at } of rows) {
    test(why, () => expect(next(schedule, from, zoneClock(zone))).toBe(at));
  }
});

test("an invalid schedule is refused", () => {
  for (const schedule of ["", "* * * *", "61 * * * *", "TZ=UTC * * * * *", "@sometimes"]) {
    expect(() => parseSchedule(schedule, old)).toThrow();
  }
});

describe("since 1.22", () => {
  const rows = [
    {
      why: "a step of days is a restriction, and one of two is enough",
      schedule: "0 0 */2 * sun",
      from: "2021-05-01T00:00:00Z",
      before: "2021-05-09T00:00Z",
      since: "2021-05-02T00:00Z",
    },
    {
      why: "so is a step of days of the week",
      schedule: "0 0 13 * */3",
      from: "2021-05-01T00:00:00Z",
      before: "2021-06-13T00:00Z",
      since: "2021-05-02T00:00Z",
    },
    {
      why: "every first day is each day",
      schedule: "0 0 */1 * mon",
      from: "2021-05-01T00:00:00Z",
      before: "2021-05-03T00:00Z",
      since: "2021-05-03T00:00Z",
    },
    {
      why: "a step needs no restriction of the other field",
      schedule: "0 0 */2 * *",
      from: "2021-05-01T00:00:00Z",
      before: "2021-05-03T00:00Z",
      since: "2021-05-03T00:00Z",
    },
  ];
  for (const { why, schedule, from, before, since } of rows)
    test(why, () => expect([next(schedule, from), next(schedule, from, utc, later)]).toEqual([before, since]));

  test("a schedule may name its zone", () => {
    for (const schedule of ["TZ=Asia/Tokyo 0 9 * * *", "CRON_TZ=Asia/Tokyo  0 9 * * *"])
      expect(next(schedule, "2021-05-01T00:00:00Z", utc, later)).toBe("2021-05-02T00:00Z");
    expect(next("TZ=Asia/Tokyo @daily", "2021-05-01T00:00:00Z", utc, later)).toBe("2021-05-01T15:00Z");
    expect(next("TZ= 0 9 * * *", "2021-05-01T00:00:00Z", zoneClock("Asia/Tokyo"), later)).toBe("2021-05-01T09:00Z");
    expect(next("TZ=Local 0 9 * * *", "2021-05-01T00:00:00Z", utc, later)).toBe("2021-05-01T09:00Z");
    for (const schedule of ["TZ=Nowhere 0 9 * * *", "TZ=UTC", "TZ=UTC 0 9 * *"])
      expect(() => parseSchedule(schedule, later)).toThrow();
  });
});
