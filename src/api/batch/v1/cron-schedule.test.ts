import { describe, expect, test } from "vitest";
import { scheduleProblem } from "./cron-schedule.ts";

describe("schedules", () => {
  const fine = ["* * * * *", "*/5 0-6 1,15 jan-mar mon", "0 3 ? * 1-5", "@daily", "@every 1h30m", "5/10 * * * *"];
  for (const text of fine) test(`${text} is one`, () => expect(scheduleProblem(text)).toBeUndefined());

  const wrong = [
    { text: "* * * *", why: "four fields" },
    { text: "60 * * * *", why: "no such minute" },
    { text: "* * * * 7", why: "weeks have days 0 to 6" },
    { text: "5-1 * * * *", why: "a range that runs backwards" },
    { text: "*/0 * * * *", why: "a step that goes nowhere" },
    { text: "1/2/3 * * * *", why: "two steps" },
    { text: "@fortnightly", why: "an unknown word" },
    { text: "@every soon", why: "no duration" },
    { text: "TZ=UTC 0 0 * * *", why: "v1.21 knows no time zones" },
    { text: `${"* ".repeat(600)}*`, why: "too long" },
  ];
  for (const { text, why } of wrong) {
    test(`${text.slice(0, 20)} is none: ${why}`, () => expect(scheduleProblem(text)).toBeTypeOf("string"));
  }
});
