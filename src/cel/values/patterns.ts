/** Regular expressions: matched in linear time, and within a bound of work. */

import { compilePattern, patternWorkMax } from "../../machinery/json-schema/pattern.ts";
import { patternSteps } from "../../machinery/json-schema/pattern-steps.ts";
import type { Meter } from "../evaluate/frame.ts";
import { ArrayList, EvaluationError, type Value } from "./values.ts";

/** Steps of patterns times characters, for one unit of work. */
const stepsOfUnit = 8;
const workOfTest = 10;
const workOfMatch = 20;
/** For each step of a pattern when it is compiled. */
const workOfStep = 200;

export function matchesText(text: string, pattern: string, meter: Meter): Value {
  const made = prepare(text, pattern, meter);
  return made instanceof EvaluationError ? made : made.test(text);
}

/** The first match, or an empty text. */
export function findIn(text: string, pattern: string, meter: Meter): Value {
  const made = prepare(text, pattern, meter);
  if (made instanceof EvaluationError) return made;
  const matcher = made.matcher(text);
  return matcher.find() ? (matcher.group() ?? "") : "";
}

/** At most `limit` matches; negative: all. */
export function findAllIn(text: string, pattern: string, limit: bigint, meter: Meter): Value {
  const made = prepare(text, pattern, meter);
  if (made instanceof EvaluationError) return made;
  const found: string[] = [];
  const matcher = made.matcher(text);
  while ((limit < 0n || BigInt(found.length) < limit) && matcher.find()) {
    found.push(matcher.group() ?? "");
    const over = meter.work(workOfMatch);
    if (over !== undefined) return over;
  }
  return new ArrayList(found);
}

function prepare(text: string, pattern: string, meter: Meter) {
  // An expression may use a new pattern for every item of a list, and compiling one takes much longer than using it.
  const over = meter.isNewPattern(pattern) ? meter.work(patternSteps(pattern) * workOfStep) : undefined;
  if (over !== undefined) return over;
  const made = compilePattern(pattern);
  if (typeof made === "string") return new EvaluationError(`error parsing regexp: ${made}`);
  const steps = made.programSize() * text.length;
  if (steps > patternWorkMax)
    return new EvaluationError("operation cancelled: the text is too long for the pattern", true);
  return meter.work(workOfTest + Math.ceil(steps / stepsOfUnit)) ?? made;
}
