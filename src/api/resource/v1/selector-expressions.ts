/** The expressions that select devices: they are compiled before an object is stored, one in a step, for an object may have thousands. */

import { checkAnswer, checksCaches } from "../../../base/cache-check.ts";
import { LruMap } from "../../../base/lru-map.ts";
import type { Steps } from "../../../base/time-slice.ts";
import { describeProblems } from "../../../cel/problems.ts";
import { compileDeviceSelector, deviceSizeBound } from "../../../cel/schema/device-environment.ts";
import { checksInSteps } from "../../../machinery/schema/checks-in-steps.ts";
import type { Environment } from "../../../machinery/schema/environment.ts";
import {
  type FieldError,
  type FieldErrors,
  forbidden,
  invalid,
  noErrors,
} from "../../../machinery/status/field-error.ts";
import type { DeviceClaim } from "./device-claim.ts";
import { type DeviceSelector, expressionBytesMax, selectorsMax } from "./device-selector.ts";

/** What an expression may cost, by estimate when it is stored and for each device. */
export const selectorCostMax = 1_000_000;
/** Valid expressions that are known: each claim that is made from a template has the same ones. */
export const knownExpressionsMax = 1_024;

const knownExpressions = new LruMap<string, true>(knownExpressionsMax);

/** The selectors of one list, and its path. */
type SelectorsAt = readonly [path: string, selectors: readonly DeviceSelector[] | undefined];

/** Checks the expressions of an object that `selectorsOf` finds; those that it had before are not checked again. */
export function selectorChecks<T>(selectorsOf: (object: T) => Iterable<SelectorsAt>) {
  return checksInSteps(function* (object: T, old: T | undefined, environment): Steps<FieldErrors> {
    const found = new Map<string, Verdict>();
    for (const [, selectors = []] of old === undefined ? [] : selectorsOf(old))
      for (const { cel } of selectors) found.set(cel?.expression ?? "", noErrorsAt);
    const errors: FieldError[] = [];
    for (const [path, selectors = []] of selectorsOf(object)) {
      if (selectors.length > selectorsMax) continue; // the rules of the list refuse it
      for (const [index, { cel }] of selectors.entries()) {
        if (cel === undefined || Buffer.byteLength(cel.expression) > expressionBytesMax) continue;
        let verdict = found.get(cel.expression);
        if (verdict === undefined) {
          verdict = verdictOf(cel.expression, environment);
          found.set(cel.expression, verdict);
          yield;
        }
        errors.push(...verdict(`${path}[${index}].cel.expression`));
      }
    }
    return errors;
  });
}

/** Where the selectors of a claim are. A request that has both forms, or too many, is refused by the rules of its fields. */
export function* claimSelectors({ requests }: DeviceClaim, path: string): Iterable<SelectorsAt> {
  for (const [index, { exactly, firstAvailable = [] }] of (requests ?? []).entries()) {
    const at = `${path}.requests[${index}]`;
    if (exactly !== undefined && firstAvailable.length > 0) continue;
    yield [`${at}.exactly.selectors`, exactly?.selectors];
    for (const [place, { selectors }] of firstAvailable.entries())
      yield [`${at}.firstAvailable[${place}].selectors`, selectors];
  }
}

/** What is wrong with an expression, wherever it is. */
type Verdict = (path: string) => FieldErrors;
const noErrorsAt: Verdict = () => noErrors;

function verdictOf(expression: string, { gates, level }: Environment): Verdict {
  const names = { release: level, hasSharing: gates.enabled("DRAConsumableCapacity") };
  const key = JSON.stringify([names, expression]);
  if (knownExpressions.get(key)) {
    if (checksCaches)
      checkAnswer("valid expressions", true, compileDeviceSelector(expression, names).program !== undefined);
    return noErrorsAt;
  }
  const { program, problems } = compileDeviceSelector(expression, names);
  if (program === undefined) {
    const why = describeProblems(expression, problems);
    return (path) => [invalid(path, expression, why)];
  }
  const { kind } = program.type;
  if (kind !== "bool" && kind !== "dyn") return (path) => [invalid(path, expression, "must be true or false")];
  const { max } = program.estimate(deviceSizeBound);
  if (max > selectorCostMax) return (path) => [forbidden(path, "may cost too much; make it simpler")];
  knownExpressions.set(key, true);
  return noErrorsAt;
}
