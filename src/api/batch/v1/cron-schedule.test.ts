import { describe, expect, test } from "vitest";
import { scheduleProblem } from "./cron-schedule.ts";

describe("a cron schedule", () => {
  const fine = [
    "* * * * *",
    "*/5 0-6 1,15 jan-mar mon",
    "0 3 ? * 1-5",
    "@daily",
    "@every 1h30m",
    "5/10 * * * *",
    "+5 000000000007 1-+3 */+2 *",
  ];
  for (const text of fine) test(`accepts ${text}`, () => expect(scheduleProblem(text)).toBeUndefined());

  const wrong = [
    { text: "* * * *", why: "four fields" },
    { text: "60 * * * *", why: "the minute is out of range" },
    { text: "12345678901234567890 * * * *", why: "the minute is far out of range" },
    { text: "*/12345678901234567890 * * * *", why: "the step does not fit in 64 bits" },
    { text: "++5 * * * *", why: "two signs" },
    { text: "* * * * 7", why: "a day of the week is out of range" },
    { text: "5-1 * * * *", why: "a range ends before it begins" },
    { text: "*/0 * * * *", why: "a step of zero never advances" },
    { text: "1/2/3 * * * *", why: "two steps" },
    { text: "@fortnightly", why: "an unknown descriptor" },
    { text: "@every soon", why: "an invalid duration" },
    { text: "TZ=UTC 0 0 * * *", why: "v1.21 does not support time zones" },
    { text: `${"* ".repeat(600)}*`, why: "too long" },
  ];
  for (const { text, why } of wrong) {
    test(`refuses ${text.slice(0, 20)}: ${why}`, () => expect(scheduleProblem(text)).toBeTypeOf("string"));
  }
});
