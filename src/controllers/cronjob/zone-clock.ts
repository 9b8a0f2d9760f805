/** The clock of a time zone by its name. */

import type { WallClock, WallTime } from "./wall-clock.ts";

const weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const hourMs = 3_600_000;

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
      const offsetMs = (ms: number) => {
        const wall = at(ms);
        return Date.UTC(wall.year, wall.month - 1, wall.day, wall.hour, wall.minute) - ms;
      };
      const guessMs = asUtcMs - offsetMs(asUtcMs);
      const startMs = asUtcMs - offsetMs(guessMs);
      // Where clocks skip midnight the day begins an hour later.
      return at(startMs).hour === 23 ? startMs + hourMs : startMs;
    },
  };
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
