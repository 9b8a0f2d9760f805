/** When the runs of a schedule are due, in the time zone of the controller unless another is given. */

import { scheduleProblem, zonedSchedule } from "../../api/batch/v1/cron-schedule.ts";
import { timeZoneProblems } from "../../api/batch/v1/time-zone.ts";
import { parseDuration } from "../../base/duration.ts";
import { localClock, type WallClock, type WallTime } from "./wall-clock.ts";
import { zoneClock } from "./zone-clock.ts";

export interface Schedule {
  /** The first run after `ms`; undefined: there is none within five years. */
  next(ms: number): number | undefined;
}

export interface ScheduleRules {
  /** A schedule may begin with its time zone. */
  readonly hasZones: boolean;
  /** A step makes any day some days, so that a run needs one of both fields of days. As v1.21 does it, it still needs both. */
  readonly hasStepsOfDays: boolean;
}

const words: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};
const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const days = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const yearsMax = 5;

/** Throws an Error that says what is wrong. */
export function parseSchedule(text: string, rules: ScheduleRules, clock: WallClock = localClock): Schedule {
  const { zone, schedule } = rules.hasZones ? zonedSchedule(text) : { zone: undefined, schedule: text };
  const problem = (zone === undefined ? undefined : timeZoneProblems(zone)[0]) ?? scheduleProblem(schedule);
  if (problem !== undefined) throw new Error(problem);
  if (schedule.startsWith("@every ")) return everySchedule(schedule.slice("@every ".length));
  return fieldsSchedule(words[schedule] ?? schedule.trim(), rules, zone === undefined ? clock : zoneClock(zone));
}

/** Whole seconds, at least one. */
function everySchedule(duration: string): Schedule {
  const seconds = Math.max(1, Math.floor(durationMs(duration) / 1000));
  return { next: (ms) => (Math.floor(ms / 1000) + seconds) * 1000 };
}

function durationMs(text: string): number {
  const parsed = parseDuration(text);
  return parsed === undefined ? 0 : Number(parsed) / 1e6;
}

interface FieldSet {
  readonly values: ReadonlySet<number>;
  /** Whether the field leaves the day to the other one: `*` or `?`. */
  readonly isOpen: boolean;
}

function fieldsSchedule(text: string, { hasStepsOfDays }: ScheduleRules, clock: WallClock): Schedule {
  const parts = text.split(/\s+/);
  const field = (index: number, min: number, max: number, names: readonly string[] = []) =>
    readField(parts[index] ?? "*", { min, max, names, hasStepsOfDays });
  const [minute, hour] = [field(0, 0, 59), field(1, 0, 23)];
  const [dayOfMonth, month, dayOfWeek] = [field(2, 1, 31), field(3, 1, 12, months), field(4, 0, 6, days)];
  const isDay = ({ day, weekday }: WallTime) => {
    const [byMonth, byWeek] = [dayOfMonth.values.has(day), dayOfWeek.values.has(weekday)];
    return dayOfMonth.isOpen || dayOfWeek.isOpen ? byMonth && byWeek : byMonth || byWeek;
  };
  return {
    next(ms) {
      let at = (Math.floor(ms / minuteMs) + 1) * minuteMs;
      const lastYear = clock.at(at).year + yearsMax;
      for (;;) {
        const wall = clock.at(at);
        if (wall.year > lastYear) return undefined;
        if (!month.values.has(wall.month)) at = clock.startOfDayMs(wall.year, wall.month + 1, 1);
        else if (!isDay(wall)) at = clock.startOfDayMs(wall.year, wall.month, wall.day + 1);
        // Hours and minutes are counted as they pass, so an hour that occurs twice has its runs twice.
        else if (!hour.values.has(wall.hour)) at += hourMs - wall.minute * minuteMs;
        else if (!minute.values.has(wall.minute)) at += minuteMs;
        else return at;
      }
    },
  };
}

interface FieldRules {
  readonly min: number;
  readonly max: number;
  readonly names: readonly string[];
  readonly hasStepsOfDays: boolean;
}

/** It has been validated before. */
function readField(text: string, { min, max, names, hasStepsOfDays }: FieldRules): FieldSet {
  const values = new Set<number>();
  let isOpen = false;
  const numberOf = (name: string) => {
    const index = names.indexOf(name.toLowerCase());
    return index < 0 ? Number(name) : index + min;
  };
  for (const part of text.split(",").filter((one) => one !== "")) {
    const [range = "", stepText] = part.split("/");
    const step = stepText === undefined ? 1 : Number(stepText);
    const [low = "", high] = range.split("-");
    const isAny = low === "*" || low === "?";
    const first = isAny ? min : numberOf(low);
    const last = isAny || (high === undefined && stepText !== undefined) ? max : numberOf(high ?? low);
    isOpen ||= isAny && !(hasStepsOfDays && step > 1);
    for (let value = first; value <= last; value += step) values.add(value);
  }
  return { values, isOpen };
}
