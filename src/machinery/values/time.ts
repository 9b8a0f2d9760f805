/** Times as texts: reads RFC 3339 with any offset, prints UTC to the second or microsecond. */

/** The zero time. It is printed as null. */
const zeroSeconds = -62_135_596_800;
const lastSeconds = 253_402_300_799;

/** Longer texts are refused before they are parsed. */
export const timeCharsMax = 64;

// Anchored, and every part has a bounded length, so it is linear.
const rfc3339 = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,32}))?(?:Z|([+-])(\d{2}):(\d{2}))$/;

interface Instant {
  /** Whole seconds since 1970, negative before. */
  readonly seconds: number;
  readonly nanos: number;
}

/** "2021-03-04T05:06:07Z" of any RFC 3339 text, fractions cut off; null: the zero time; undefined: not a time. */
export function parseTime(text: string): string | null | undefined {
  const read = readInstant(text);
  return read && formatTime(read.seconds);
}

/** Reads a time to the microsecond. The fraction must have exactly six digits, as v1.21 requires. */
export function parseMicroTime(text: string): string | null | undefined {
  const read = readInstant(text);
  return read?.fractionDigits === 6 ? formatMicroTime(read.seconds, read.nanos) : undefined;
}

/** Any RFC 3339 text; undefined: not a time between the years 1 and 9999. */
export function parseInstant(text: string): Instant | undefined {
  const read = readInstant(text);
  return read && { seconds: read.seconds, nanos: read.nanos };
}

/** A clock's milliseconds as a time: "2021-03-04T05:06:07Z". */
export function timeText(ms: number): string {
  return `${new Date(Math.floor(ms / 1000) * 1000).toISOString().slice(0, 19)}Z`;
}

/** With microseconds: "2021-03-04T05:06:07.000000Z". */
export function microTimeText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 23)}000Z`;
}

/** undefined: outside the years 1 to 9999; null: the zero time. */
export function formatTime(seconds: number): string | null | undefined {
  if (!(seconds >= zeroSeconds && seconds <= lastSeconds)) return undefined;
  return seconds === zeroSeconds ? null : `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`;
}

export function formatMicroTime(seconds: number, nanos: number): string | null | undefined {
  if (seconds === zeroSeconds && nanos >= 1) return `0001-01-01T00:00:00.${micros(nanos)}Z`;
  const whole = formatTime(seconds);
  return typeof whole === "string" ? `${whole.slice(0, 19)}.${micros(nanos)}Z` : whole;
}

const micros = (nanos: number) => String(Math.floor(nanos / 1000)).padStart(6, "0");

function readInstant(text: string): (Instant & { readonly fractionDigits: number }) | undefined {
  if (text.length > timeCharsMax) return undefined;
  const match = rfc3339.exec(text);
  if (match === null) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    // The expression has matched, so all six are there.
    ...[number, number, number, number, number, number],
  ];
  const offsetHour = Number(match[9] ?? 0);
  const offsetMinute = Number(match[10] ?? 0);
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return undefined;
  if (hour > 23 || minute > 59 || second > 59 || offsetHour > 23 || offsetMinute > 59) return undefined;

  const date = new Date(0);
  // setUTCFullYear, since Date.UTC reads the years 0 to 99 as 1900 to 1999.
  date.setUTCFullYear(year, month - 1, day);
  const offsetSeconds = (offsetHour * 60 + offsetMinute) * 60 * (match[8] === "-" ? -1 : 1);
  const seconds = date.getTime() / 1000 + hour * 3600 + minute * 60 + second - offsetSeconds;
  if (seconds < zeroSeconds || seconds > lastSeconds) return undefined;
  const fraction = match[7] ?? "";
  return { seconds, nanos: Number(fraction.slice(0, 9).padEnd(9, "0")), fractionDigits: fraction.length };
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}
