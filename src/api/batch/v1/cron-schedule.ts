/** The schedules of cron jobs: five fields, names of months and days, and the @ words. */

import { parseDuration } from "../../../base/duration.ts";
import type { Environment } from "../../../machinery/schema/environment.ts";
import { type FieldErrors, invalid, noErrors } from "../../../machinery/status/field-error.ts";

import { has } from "../../features.ts";
import { timeZoneProblems } from "./time-zone.ts";

interface Bounds {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
}

const minute: Bounds = { name: "minute", min: 0, max: 59 };
const hour: Bounds = { name: "hour", min: 0, max: 23 };
const dayOfMonth: Bounds = { name: "day of month", min: 1, max: 31 };
const month: Bounds = {
  name: "month",
  min: 1,
  max: 12,
  names: ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"],
};
const dayOfWeek: Bounds = {
  name: "day of week",
  min: 0,
  max: 6,
  names: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"],
};
const fields = [minute, hour, dayOfMonth, month, dayOfWeek];

const words = new Set(["@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"]);
const scheduleCharsMax = 1024;

export function validateSchedule(schedule: string, path: string, environment: Environment): FieldErrors {
  const problem = has(environment, "zonesInSchedules") ? zonedProblem(schedule) : scheduleProblem(schedule);
  return problem === undefined ? noErrors : [invalid(path, schedule, problem)];
}

function zonedProblem(text: string): string | undefined {
  const { zone, schedule } = zonedSchedule(text);
  return (zone === undefined ? undefined : timeZoneProblems(zone)[0]) ?? scheduleProblem(schedule);
}

/** `zone`: the one in front, as in `TZ=Europe/Berlin 0 6 * * *`; undefined: none, or that of the controller. */
export function zonedSchedule(text: string): { readonly zone?: string; readonly schedule: string } {
  const [, zone, schedule = ""] = /^(?:CRON_)?TZ=([^ ]*) (.*)$/s.exec(text) ?? [];
  if (zone === undefined) return { schedule: text };
  return { schedule: schedule.trim(), ...(zone === "Local" ? {} : { zone: zone || "UTC" }) };
}

/** What is wrong with a schedule; undefined: nothing. */
export function scheduleProblem(schedule: string): string | undefined {
  if (schedule.length > scheduleCharsMax) return `must have at most ${scheduleCharsMax} characters`;
  if (schedule.startsWith("@")) {
    if (words.has(schedule)) return undefined;
    if (schedule.startsWith("@every "))
      return isDuration(schedule.slice("@every ".length)) ? undefined : "@every needs a duration";
    return `unrecognized descriptor ${schedule}`;
  }
  const parts = schedule.split(/\s+/).filter((part) => part !== "");
  if (parts.length !== fields.length) return `expected exactly ${fields.length} fields, found ${parts.length}`;
  for (const [index, bounds] of fields.entries()) {
    const problem = fieldProblem(parts[index] ?? "", bounds);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function fieldProblem(field: string, bounds: Bounds): string | undefined {
  for (const part of field.split(",").filter((one) => one !== "")) {
    const problem = rangeProblem(part, bounds);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** `*`, `?`, `a`, `a-b`, each with `/step`. */
function rangeProblem(text: string, bounds: Bounds): string | undefined {
  const [range = "", step, ...tooManySlashes] = text.split("/");
  if (tooManySlashes.length > 0) return `too many slashes: ${text}`;
  const [low = "", high, ...tooManyHyphens] = range.split("-");
  let start: number | undefined;
  let end: number | undefined;
  if (low === "*" || low === "?") {
    start = bounds.min;
    end = bounds.max;
  } else {
    start = valueIn(low, bounds);
    end = high === undefined ? (step === undefined ? start : bounds.max) : valueIn(high, bounds);
    if (tooManyHyphens.length > 0) return `too many hyphens: ${text}`;
  }
  if (start === undefined || end === undefined) return `failed to parse ${text} as ${bounds.name}`;
  const every = step === undefined ? 1 : numberOf(step);
  if (every === undefined) return `failed to parse the step of ${text}`;
  if (start < bounds.min) return `beginning of range (${start}) below minimum (${bounds.min}): ${text}`;
  if (end > bounds.max) return `end of range (${end}) above maximum (${bounds.max}): ${text}`;
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${text}`;
  return every === 0 ? `step of range must be a positive number: ${text}` : undefined;
}

function valueIn(text: string, bounds: Bounds): number | undefined {
  const index = bounds.names?.indexOf(text.toLowerCase()) ?? -1;
  return index >= 0 ? index + bounds.min : numberOf(text);
}

/** "+5" and "007" are numbers, too. */
const numberOf = (text: string) => (/^\+?[0-9]+$/.test(text) && Number(text) < 2 ** 63 ? Number(text) : undefined);
const isDuration = (text: string) => parseDuration(text) !== undefined;
