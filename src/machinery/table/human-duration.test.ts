import { expect, test } from "vitest";
import { humanDuration } from "./human-duration.ts";

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

const cases: readonly [number, string][] = [
  [-2 * second, "<invalid>"],
  [-1 * second, "0s"],
  [0, "0s"],
  [999, "0s"],
  [119 * second, "119s"],
  [2 * minute, "2m"],
  [3 * minute + 12 * second, "3m12s"],
  [10 * minute + 5 * second, "10m"],
  [179 * minute, "179m"],
  [3 * hour, "3h"],
  [7 * hour + 59 * minute, "7h59m"],
  [8 * hour + 59 * minute, "8h"],
  [47 * hour, "47h"],
  [2 * day, "2d"],
  [2 * day + 3 * hour, "2d3h"],
  [8 * day + 3 * hour, "8d"],
  [729 * day, "729d"],
  [2 * year, "2y"],
  [2 * year + 20 * day, "2y20d"],
  [8 * year + 20 * day, "8y"],
];
for (const [ms, text] of cases) test(`${ms / 1000} seconds read ${text}`, () => expect(humanDuration(ms)).toBe(text));
