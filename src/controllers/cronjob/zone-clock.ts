/** The clock of a time zone by its name. */

import { timeText } from "../../machinery/values/time.ts";
import type { WallClock, WallTime } from "./wall-clock.ts";

const weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const hourMs = 3_600_000;
const minuteMs = 60_000;

export function zoneClock(zone: string): WallClock {
  const format = formatOf(zone);
  const at = (ms: number): WallTime => {
    const parts = new Map<string, string>(format.formatToParts(ms).map(({ type, value }) => [type, value]));
    const number = (name: string) => Number(parts.get(name));
    return {
      year: number("year"),
      month: number("month"),
      day: number("day"),
      hour: number("hour"),
      minute: number("minute"),
      weekday: weekdays.indexOf(parts.get("weekday") ?? ""),
    };
  };
  return {
    at,
    startOfDayMs(year, month, day) {
      const asUtcMs = Date.UTC(year, month - 1, day);
      const offsetMs = (ms: number) => asUtc(at(ms)) - ms;
      const guessMs = asUtcMs - offsetMs(asUtcMs);
      const startMs = asUtcMs - offsetMs(guessMs);
      // Where clocks skip midnight the day begins an hour later.
      return at(startMs).hour === 23 ? startMs + hourMs : startMs;
    },
  };
}

const asUtc = ({ year, month, day, hour, minute }: WallTime): number => Date.UTC(year, month - 1, day, hour, minute);

/** The time in the zone, with its distance from UTC: "2025-07-01T09:00:00+02:00". Without a zone: in UTC, which is "Z". */
export function zonedTimeText(ms: number, zone = "UTC"): string {
  const minutes = Math.round((asUtc(zoneClock(zone).at(ms)) - ms) / minuteMs);
  if (minutes === 0) return timeText(ms);
  const two = (number: number) => String(Math.trunc(number)).padStart(2, "0");
  const distance = `${minutes < 0 ? "-" : "+"}${two(Math.abs(minutes) / 60)}:${two(Math.abs(minutes) % 60)}`;
  return timeText(ms + minutes * minuteMs).replace("Z", distance);
}

function formatOf(zone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    weekday: "short",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
  });
}
