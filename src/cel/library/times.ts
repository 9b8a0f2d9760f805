/** Parts of timestamps and durations. */

import { duration, int, string, timestamp } from "../types/types.ts";
import { partOf, type TimePart } from "../values/times.ts";
import type { Duration, Timestamp } from "../values/values.ts";
import { declare, type FunctionDeclaration, member } from "./declaration.ts";

/** Nanoseconds of the parts that durations have as well. */
const units: Partial<Record<TimePart, bigint>> = {
  getHours: 3_600_000_000_000n,
  getMinutes: 60_000_000_000n,
  getSeconds: 1_000_000_000n,
  getMilliseconds: 1_000_000n,
};

/** Rules of time zones take some microseconds. */
const workOfZone = 1_000;

const parts: readonly TimePart[] = [
  "getFullYear",
  "getMonth",
  "getDayOfYear",
  "getDate",
  "getDayOfMonth",
  "getDayOfWeek",
  "getHours",
  "getMinutes",
  "getSeconds",
  "getMilliseconds",
];

export const times: readonly FunctionDeclaration[] = parts.map((part) => {
  const unit = units[part];
  return declare(
    part,
    "1.23",
    member([timestamp], int, ([time]) => partOf(time as Timestamp, part, "UTC")),
    member(
      [timestamp, string],
      int,
      ([time, zone], meter) => meter.work(workOfZone) ?? partOf(time as Timestamp, part, zone as string),
    ),
    ...(unit === undefined ? [] : [member([duration], int, ([value]) => (value as Duration).nanos / unit)]),
  );
});
