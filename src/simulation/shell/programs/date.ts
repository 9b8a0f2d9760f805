/** `date`: the time of the simulation. */

import type { ShellProgram } from "../host.ts";
import { prints } from "./answers.ts";

const days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const two = (value: number): string => String(value).padStart(2, "0");

/** By the letter after `%`. */
const parts: Readonly<Record<string, (time: Date) => string>> = {
  Y: (time) => String(time.getUTCFullYear()),
  m: (time) => two(time.getUTCMonth() + 1),
  d: (time) => two(time.getUTCDate()),
  e: (time) => String(time.getUTCDate()).padStart(2),
  H: (time) => two(time.getUTCHours()),
  M: (time) => two(time.getUTCMinutes()),
  S: (time) => two(time.getUTCSeconds()),
  s: (time) => String(Math.floor(time.getTime() / 1_000)),
  N: (time) => String(time.getUTCMilliseconds()).padStart(3, "0").padEnd(9, "0"),
  F: (time) => time.toISOString().slice(0, 10),
  T: (time) => time.toISOString().slice(11, 19),
  R: (time) => time.toISOString().slice(11, 16),
  a: (time) => days[time.getUTCDay()] ?? "",
  b: (time) => months[time.getUTCMonth()] ?? "",
  Z: () => "UTC",
  z: () => "+0000",
  n: () => "\n",
  "%": () => "%",
};

const formatted = (format: string, time: Date): string =>
  format.replace(/%(.)/gs, (whole, letter: string) => parts[letter]?.(time) ?? whole);

/** `date [-u] [+FORMAT]`: the time of the simulation, in UTC. */
export const date: ShellProgram = {
  name: "date",
  understands: (args) => args.every((arg) => arg === undefined || arg === "-u" || arg.startsWith("+")),
  run(call) {
    const format = call.args.find((arg) => arg.startsWith("+"))?.slice(1) ?? "%a %b %e %H:%M:%S UTC %Y";
    return prints(call, `${formatted(format, new Date(call.host.nowMs()))}\n`);
  },
};
