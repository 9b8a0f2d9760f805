import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatMicroTime, formatTime, parseInstant, parseMicroTime, parseTime, timeText } from "./time.ts";

describe("times", () => {
  const cases = [
    { text: "2021-03-04T05:06:07Z", time: "2021-03-04T05:06:07Z", why: "UTC is unchanged" },
    { text: "2021-03-04T05:06:07+02:00", time: "2021-03-04T03:06:07Z", why: "offsets are subtracted" },
    { text: "2021-01-01T00:30:00+01:00", time: "2020-12-31T23:30:00Z", why: "offsets may change the year" },
    { text: "2021-03-04T05:06:07.999Z", time: "2021-03-04T05:06:07Z", why: "fractions are cut off" },
    { text: "2020-02-29T00:00:00Z", time: "2020-02-29T00:00:00Z", why: "leap years have a 29th of February" },
    { text: "0099-01-01T00:00:00Z", time: "0099-01-01T00:00:00Z", why: "early years are not the 1900s" },
    { text: "9999-12-31T23:59:59Z", time: "9999-12-31T23:59:59Z", why: "the last second" },
    { text: "0001-01-01T00:00:00Z", time: null, why: "the zero time is null" },
  ];
  for (const { text, time, why } of cases) test(`${text}: ${why}`, () => expect(parseTime(text)).toBe(time));

  for (const text of [
    "",
    "yesterday",
    "2021-03-04",
    "2021-03-04 05:06:07Z",
    "2021-03-04t05:06:07z",
    "2021-03-04T05:06:07",
    "2021-02-29T00:00:00Z",
    "2021-13-01T00:00:00Z",
    "2021-00-01T00:00:00Z",
    "2021-01-01T24:00:00Z",
    "2021-01-01T00:60:00Z",
    "2021-01-01T00:00:60Z",
    "2021-01-01T00:00:00+24:00",
    "0000-01-01T00:00:00Z",
    "9999-12-31T23:59:59-01:00",
    `2021-01-01T00:00:00.${"0".repeat(1_000_000)}Z`,
  ]) {
    test(`${text.slice(0, 40)} is not a time`, () => expect(parseTime(text)).toBeUndefined());
  }

  test("micro times require exactly six digits", () => {
    expect(parseMicroTime("2021-03-04T05:06:07.000001+01:00")).toBe("2021-03-04T04:06:07.000001Z");
    expect(parseMicroTime("2021-03-04T05:06:07Z")).toBeUndefined();
    expect(parseMicroTime("2021-03-04T05:06:07.1234567Z")).toBeUndefined();
    expect(parseMicroTime("0001-01-01T00:00:00.000000Z")).toBeNull();
  });
  test("a clock's milliseconds are printed to the second", () => {
    expect(timeText(1_614_834_367_999)).toBe("2021-03-04T05:06:07Z");
  });
  test("seconds outside of four-digit years cannot be printed", () => {
    expect(formatTime(253_402_300_800)).toBeUndefined();
    expect(formatTime(Number.NaN)).toBeUndefined();
    expect(formatMicroTime(0, 1_999)).toBe("1970-01-01T00:00:00.000001Z");
  });
  test("every second is read back from its text", () => {
    fc.assert(
      fc.property(fc.integer({ min: -62_135_596_799, max: 253_402_300_799 }), (seconds) => {
        const text = formatTime(seconds);
        expect(typeof text === "string" && parseInstant(text)).toEqual({ seconds, nanos: 0 });
        expect(typeof text === "string" && parseTime(text)).toBe(text);
      }),
    );
  });
});
