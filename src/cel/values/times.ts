/** Durations and timestamps: texts, arithmetic, and parts of a timestamp in a time zone. */

import { parseDuration } from "../../base/duration.ts";
import { parseInstant } from "../../machinery/values/time.ts";
import { Duration, EvaluationError, int64Max, int64Min, Timestamp, type Value } from "./values.ts";

const second = 1_000_000_000n;
/** The years 1 to 9999. */
const earliest = -62_135_596_800n * second;
const latest = 253_402_300_800n * second - 1n;

export function parseDurationText(text: string): Duration | EvaluationError {
  const nanos = parseDuration(text);
  return nanos === undefined
    ? new EvaluationError(`time: invalid duration "${text.slice(0, 64)}"`)
    : new Duration(nanos);
}

export function parseTimestamp(text: string): Timestamp | EvaluationError {
  const instant = parseInstant(text);
  if (instant === undefined) return new EvaluationError(`parsing time "${text.slice(0, 64)}": not an RFC 3339 time`);
  const zone = /([+-])(\d\d):(\d\d)$/.exec(text);
  const minutes = zone === null ? 0 : Number(zone[2]) * 60 + Number(zone[3]);
  const offset = zone?.[1] === "-" && minutes !== 0 ? -minutes : minutes;
  return new Timestamp(BigInt(instant.seconds) * second + BigInt(instant.nanos), offset);
}

/** Seconds with as many decimals as are needed, as protobuf prints durations: "36000s", "1.5s". */
export function durationText({ nanos }: Duration): string {
  const sign = nanos < 0n ? "-" : "";
  const total = nanos < 0n ? -nanos : nanos;
  return `${sign}${total / second}${fraction(total % second)}s`;
}

/** "2024-01-01T00:00:00Z", with as many decimals as are needed, and the offset with which it was written. */
export function timestampText({ nanos, offsetMinutes }: Timestamp): string {
  const seconds = floorDivide(nanos, second);
  const text = new Date((Number(seconds) + offsetMinutes * 60) * 1000).toISOString().slice(0, 19);
  return `${text}${fraction(nanos - seconds * second)}${offsetText(offsetMinutes)}`;
}

function offsetText(minutes: number): string {
  if (minutes === 0) return "Z";
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `${minutes < 0 ? "-" : "+"}${String(hours).padStart(2, "0")}:${String(rest).padStart(2, "0")}`;
}

const fraction = (nanos: bigint): string =>
  nanos === 0n ? "" : `.${String(nanos).padStart(9, "0").replace(/0+$/, "")}`;

export function checkedDuration(nanos: bigint): Value {
  return nanos > int64Max || nanos < int64Min ? new EvaluationError("duration overflow") : new Duration(nanos);
}

export function addDurations(a: Duration, b: Duration, sign: bigint): Value {
  return checkedDuration(a.nanos + sign * b.nanos);
}

export function addToTimestamp(time: Timestamp, nanos: bigint): Value {
  return checkedTimestamp(time.nanos + nanos, time.offsetMinutes);
}

export function checkedTimestamp(nanos: bigint, offsetMinutes = 0): Value {
  return nanos < earliest || nanos > latest
    ? new EvaluationError("timestamp overflow")
    : new Timestamp(nanos, offsetMinutes);
}

export function subtractTimestamps(a: Timestamp, b: Timestamp): Value {
  return checkedDuration(a.nanos - b.nanos);
}

export const timestampSeconds = ({ nanos }: Timestamp): bigint => floorDivide(nanos, second);

export type TimePart =
  | "getFullYear"
  | "getMonth"
  | "getDate"
  | "getDayOfMonth"
  | "getDayOfWeek"
  | "getDayOfYear"
  | "getHours"
  | "getMinutes"
  | "getSeconds"
  | "getMilliseconds";

/** A part of a timestamp; months and days count from 0, `getDate` from 1. `zone`: "Europe/Paris", "+02:00", "UTC". */
export function partOf({ nanos }: Timestamp, part: TimePart, zone: string): Value {
  const milliseconds = Number(floorDivide(nanos, 1_000_000n));
  const offset = zoneOffset(milliseconds, zone);
  if (offset === undefined) return new EvaluationError(`unknown time zone ${zone.slice(0, 64)}`);
  const date = new Date(milliseconds + offset);
  switch (part) {
    case "getFullYear":
      return BigInt(date.getUTCFullYear());
    case "getMonth":
      return BigInt(date.getUTCMonth());
    case "getDate":
      return BigInt(date.getUTCDate());
    case "getDayOfMonth":
      return BigInt(date.getUTCDate() - 1);
    case "getDayOfWeek":
      return BigInt(date.getUTCDay());
    case "getDayOfYear":
      return BigInt(Math.floor((date.getTime() - yearStart(date.getUTCFullYear())) / 86_400_000));
    case "getHours":
      return BigInt(date.getUTCHours());
    case "getMinutes":
      return BigInt(date.getUTCMinutes());
    case "getSeconds":
      return BigInt(date.getUTCSeconds());
    case "getMilliseconds":
      return BigInt(date.getUTCMilliseconds());
  }
}

function yearStart(year: number): number {
  const date = new Date(0);
  date.setUTCFullYear(year, 0, 1);
  return date.getTime();
}

const fixedOffset = /^([+-]?)(\d{1,2}):(\d{2})$/;
/** Formatters are expensive to make; names of zones are few. */
const formatters = new Map<string, Intl.DateTimeFormat | undefined>();
const formattersMax = 600;

/** Milliseconds to add to UTC; undefined: not a time zone. */
function zoneOffset(milliseconds: number, zone: string): number | undefined {
  if (zone === "" || zone === "UTC") return 0;
  const fixed = fixedOffset.exec(zone);
  if (fixed !== null) {
    const minutes = Number(fixed[2]) * 60 + Number(fixed[3]);
    return (fixed[1] === "-" ? -minutes : minutes) * 60_000;
  }
  const formatter = formatterOf(zone);
  if (formatter === undefined) return undefined;
  const parts = new Map(formatter.formatToParts(milliseconds).map(({ type, value }) => [type, value]));
  const number = (type: Intl.DateTimeFormatPartTypes) => Number(parts.get(type));
  const local = new Date(0);
  local.setUTCFullYear(
    parts.get("era")?.startsWith("B") ? 1 - number("year") : number("year"),
    number("month") - 1,
    number("day"),
  );
  local.setUTCHours(number("hour") % 24, number("minute"), number("second"));
  return local.getTime() - Math.floor(milliseconds / 1000) * 1000;
}

function formatterOf(zone: string): Intl.DateTimeFormat | undefined {
  // Names of zones have a region; Intl would also take offsets and abbreviations that Go does not.
  if (zone.length > 64 || !/^[A-Z][A-Za-z]+(?:\/|$)/.test(zone)) return undefined;
  if (formatters.has(zone)) return formatters.get(zone);
  let formatter: Intl.DateTimeFormat | undefined;
  try {
    formatter = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      hourCycle: "h23",
      era: "short",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
  } catch {
    formatter = undefined;
  }
  if (formatters.size >= formattersMax) formatters.clear();
  formatters.set(zone, formatter);
  return formatter;
}

function floorDivide(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  return a % b < 0n ? quotient - 1n : quotient;
}
