/** Numbers that may be a percentage of another one: 3 or "25%". */

import type { IntOrString } from "../machinery/values/integer.ts";

/** A text that is not a percentage counts as nothing; validation refuses it. */
export function scaledValue(value: IntOrString, total: number, round: "up" | "down"): number {
  if (typeof value === "number") return value;
  const percent = /^([0-9]{1,9})%$/.exec(value)?.[1];
  if (percent === undefined) return 0;
  const part = (Number(percent) * total) / 100;
  return round === "up" ? Math.ceil(part) : Math.floor(part);
}
