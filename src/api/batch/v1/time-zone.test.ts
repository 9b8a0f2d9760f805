import { expect, test } from "vitest";
import { timeZoneProblems } from "./time-zone.ts";

test("a time zone has the spelling of the database of zones", () => {
  for (const zone of [
    "UTC",
    "Europe/Berlin",
    "Asia/Kolkata",
    "Asia/Calcutta",
    "US/Eastern",
    "Etc/GMT+5",
    "Etc/GMT-14",
    "GMT",
  ]) {
    expect(timeZoneProblems(zone)).toEqual([]);
  }
  for (const zone of ["", "utc", "europe/berlin", "Local", "Etc/GMT+14", "Europe/Atlantis", "+01:00"]) {
    expect(timeZoneProblems(zone)).toHaveLength(1);
  }
});
