import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalDuration, durationCharsMax, formatDuration, parseDuration } from "./duration.ts";

describe("durations", () => {
  const cases = [
    { text: "0", canonical: "0s" },
    { text: "5m", canonical: "5m0s" },
    { text: "90s", canonical: "1m30s" },
    { text: "1h", canonical: "1h0m0s" },
    { text: "1.5h", canonical: "1h30m0s" },
    { text: "36h15m30.918273645s", canonical: "36h15m30.918273645s" },
    { text: "-1.5s", canonical: "-1.5s" },
    { text: "+300ms", canonical: "300ms" },
    { text: "1500us", canonical: "1.5ms" },
    { text: "1500ns", canonical: "1.5\u00b5s" },
    { text: ".5s", canonical: "500ms" },
    { text: "1.s", canonical: "1s" },
  ];
  for (const { text, canonical } of cases) {
    test(`${text} is printed as ${canonical}`, () => expect(canonicalDuration(text)).toBe(canonical));
  }
  for (const text of ["", "-", "5", "s", ".s", "1d", "1s 2m", "1e3s", "9223372036854775808ns", "1".repeat(200)]) {
    test(`${JSON.stringify(text)} is not a duration`, () => expect(parseDuration(text)).toBeUndefined());
  }
  test("a duration longer than the limit is refused before it is read", () => {
    expect(parseDuration(`${"0".repeat(durationCharsMax)}s`)).toBeUndefined();
    expect(parseDuration(`${"0".repeat(durationCharsMax - 1)}s`)).toBe(0n);
  });
  test("every duration is read back from its text", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n) + 1n, max: 2n ** 63n - 1n }), (nanos) => {
        expect(parseDuration(formatDuration(nanos))).toBe(nanos);
      }),
    );
  });
});
