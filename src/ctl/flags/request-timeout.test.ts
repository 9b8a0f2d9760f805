import { expect, test } from "vitest";
import { requestTimeoutMs, requestTimeoutMsMax } from "./request-timeout.ts";

test("parts of a millisecond count as a whole one, and a timer can measure every time", () => {
  const cases: Record<string, number> = {
    "1": 1000,
    "1.5s": 1500,
    "1ns": 1,
    "1500us": 2,
    "596h": 596 * 3_600_000,
    "597h": requestTimeoutMsMax,
    "2000000h": requestTimeoutMsMax,
    "9000000000": requestTimeoutMsMax,
  };
  for (const [text, ms] of Object.entries(cases)) expect(requestTimeoutMs(text), text).toBe(ms);
});

test("none, zero and a negative time mean no limit", () => {
  for (const text of ["", "0", "0s", "-1s"]) expect(requestTimeoutMs(text), text).toBe(0);
});
