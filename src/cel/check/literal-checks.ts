/** Checks of literal arguments that would fail whenever they are evaluated: durations, timestamps, patterns, formats. */

import type { Steps } from "../../base/time-slice.ts";
import { patternProblem } from "../../machinery/json-schema/pattern.ts";
import { patternSteps } from "../../machinery/json-schema/pattern-steps.ts";
import { FrameSlots } from "../evaluate/evaluation-plan.ts";
import { foldedValue, isFolded } from "../evaluate/folds.ts";
import { Frame, type Meter } from "../evaluate/frame.ts";
import { plan } from "../evaluate/plan.ts";
import { parseFormat } from "../library/format-text.ts";
import { expressionPatternStepsMax } from "../limits.ts";
import type { Problem } from "../problems.ts";
import type { Expression, ListExpression, MapExpression } from "../syntax/ast.ts";
import { type Type, typeName } from "../types/types.ts";
import { checkedTimestamp, parseDurationText, parseTimestamp } from "../values/times.ts";
import { EvaluationError, hasType, type Value } from "../values/values.ts";
import type { CheckedExpression, Resolution } from "./checker.ts";

/** Calls that are checked in one step; compiling the pattern of one takes some tens of microseconds. */
const callsOfStep = 200;

export function* checkLiterals(checked: CheckedExpression): Steps<Problem[]> {
  const tooLarge = patternsProblem(checked);
  // Patterns are compiled to be checked, which takes too long then.
  if (tooLarge !== undefined) return [tooLarge];
  const problems: Problem[] = checked.aggregates.flatMap((aggregate) => mixedTypes(aggregate, checked));
  let count = 0;
  for (const resolution of checked.resolutions.values()) {
    if (++count % callsOfStep === 0) yield;
    const problem = checkCall(resolution, checked);
    if (problem !== undefined) problems.push(problem);
  }
  return problems;
}

/** Items of a list, and keys and values of a map, have the very same type: a value of an unknown type is not an int. */
function mixedTypes(aggregate: ListExpression | MapExpression, checked: CheckedExpression): readonly Problem[] {
  const typeOf = (part: Expression, isOptional: boolean): string => {
    const type = checked.typeOf(part);
    return typeName(isOptional && type.kind === "optional" ? type.item : type);
  };
  const differing = (parts: readonly (readonly [Expression, boolean])[]): Problem[] => {
    const expected = typeOf(...parts[0]!);
    return parts.flatMap(([part, isOptional]) => {
      const found = typeOf(part, isOptional);
      return found === expected
        ? []
        : [{ offset: part.offset, message: `expected type '${expected}' but found '${found}'` }];
    });
  };
  if (aggregate.kind === "list")
    return differing(aggregate.items.map((item, at) => [item, aggregate.optionals.has(at)])).slice(0, 1);
  return [
    ...differing(aggregate.entries.map(({ key }) => [key, false])),
    ...differing(aggregate.entries.map(({ value, isOptional }) => [value, isOptional])),
  ];
}

const takesPattern: ReadonlySet<string> = new Set(["matches", "find", "findAll"]);

/** The first pattern with which all together are too large; undefined: they are not. */
function patternsProblem({ resolutions }: CheckedExpression): Problem | undefined {
  let steps = 0;
  for (const { name, args } of resolutions.values()) {
    const pattern = takesPattern.has(name) ? args[1] : undefined;
    if (pattern?.kind !== "literal" || typeof pattern.value !== "string") continue;
    steps += patternSteps(pattern.value);
    if (steps <= expressionPatternStepsMax) continue;
    const message = `the patterns of an expression may have at most ${expressionPatternStepsMax} steps, with all that they repeat`;
    return { offset: pattern.offset, message };
  }
  return undefined;
}

function checkCall(resolution: Resolution, checked: CheckedExpression): Problem | undefined {
  const { name, args } = resolution;
  switch (name) {
    case "duration":
      return literalProblem(args[0], (text) => isError(parseDurationText(text)), "invalid duration argument");
    case "timestamp":
      return isOutsideTime(args[0])
        ? { offset: args[0]!.offset, message: "invalid timestamp argument" }
        : literalProblem(args[0], (text) => isError(parseTimestamp(text)), "invalid timestamp argument");
    case "matches":
    case "find":
    case "findAll":
      return literalProblem(args[1], (text) => patternProblem(text) !== undefined, `invalid ${name} argument`);
    case "_[_]":
    case "_[?_]":
      return indexProblem(args[1]!, checked);
    case "format":
      return formatProblem(args[0]!, args[1]!, checked);
    default:
      return conversions.has(name) ? conversionProblem(resolution, checked) : undefined;
  }
}

const keys: ReadonlySet<string> = new Set(["bool", "double", "dyn", "int", "string", "uint"]);

/** A constant that can never be a key or an index. */
function indexProblem(index: Expression, checked: CheckedExpression): Problem | undefined {
  const type = checked.typeOf(withoutDyn(index, checked));
  if (keys.has(type.kind) || !isFolded(index, { checked, folds: new Map() })) return undefined;
  return { offset: index.offset, message: `invalid qualifier type: ${typeName(type)}` };
}

/** `dyn(x)` hides the type of a constant, but not the constant. */
function withoutDyn(expression: Expression, checked: CheckedExpression): Expression {
  const call = expression.kind === "call" ? checked.resolutions.get(expression) : undefined;
  const inner = call?.name === "dyn" ? call.args[0] : undefined;
  return inner === undefined ? expression : withoutDyn(inner, checked);
}

/** Seconds since 1970 that are before the year 1 or after the year 9999. */
const isOutsideTime = (argument: Expression | undefined): boolean =>
  argument?.kind === "literal" &&
  typeof argument.value === "bigint" &&
  isError(checkedTimestamp(argument.value * 1_000_000_000n));

/** Conversions of literals are computed once, when the expression is compiled. */
const conversions: ReadonlySet<string> = new Set(["bool", "bytes", "double", "int", "string", "uint"]);

function conversionProblem(
  { args: [argument], overloads }: Resolution,
  checked: CheckedExpression,
): Problem | undefined {
  const value = argument && constantValue(argument, checked);
  if (argument === undefined || value === undefined || value instanceof EvaluationError) return undefined;
  const { offset } = argument;
  const overload = overloads.find(({ params }) => hasType(value, params[0]!));
  const converted = overload === undefined ? noOverload : overload.call([value], unmetered);
  return converted instanceof EvaluationError ? { offset, message: converted.message } : undefined;
}

function constantValue(expression: Expression, checked: CheckedExpression): Value | undefined {
  if (expression.kind === "literal") return expression.value;
  // Only conversions of conversions: other constants have no conversion that fails.
  return expression.kind === "call"
    ? foldedValue(expression, { checked, folds: new Map(), slots: new FrameSlots(), plan })?.(unlimited)
    : undefined;
}

const noOverload = new EvaluationError("no such overload");

const unlimited = new Frame([], Number.POSITIVE_INFINITY);

/** Converting a literal is not counted as work: the length of an expression, and so of its literals, is limited. */
const unmetered: Meter = { work: () => undefined, items: () => undefined, isNewPattern: () => true };

const isError = (value: Value) => value instanceof EvaluationError;

function literalProblem(
  argument: Expression | undefined,
  isWrong: (text: string) => boolean,
  message: string,
): Problem | undefined {
  if (argument?.kind !== "literal" || typeof argument.value !== "string" || !isWrong(argument.value)) return undefined;
  return { offset: argument.offset, message };
}

const numbers = new Set(["int", "uint"]);
/** Types that a clause takes. */
const taken: Readonly<Record<string, ReadonlySet<string>>> = {
  d: numbers,
  // The texts NaN, Infinity and -Infinity are taken too, once they are evaluated.
  f: new Set(["double", "string"]),
  e: new Set(["double", "string"]),
  b: new Set([...numbers, "bool"]),
  o: numbers,
  x: new Set([...numbers, "string", "bytes"]),
  X: new Set([...numbers, "string", "bytes"]),
  s: new Set([...numbers, "string", "bytes", "bool", "double", "null", "duration", "timestamp", "list", "map", "type"]),
};

function formatProblem(target: Expression, list: Expression, checked: CheckedExpression): Problem | undefined {
  if (target.kind !== "literal" || typeof target.value !== "string") return undefined;
  const parsed = parseFormat(target.value);
  if (typeof parsed === "string") return { offset: target.offset, message: parsed };
  if (list.kind !== "list") return undefined;
  const { clauses } = parsed;
  if (list.items.length < clauses.length)
    return { offset: list.offset, message: `index ${list.items.length} out of range` };
  if (list.items.length > clauses.length) {
    const message = `too many arguments supplied to string.format (expected ${clauses.length}, got ${list.items.length})`;
    return { offset: list.offset, message };
  }
  for (const [at, { verb }] of clauses.entries()) {
    const item = list.items[at]!;
    const type = checked.typeOf(item);
    if (type.kind === "dyn" || taken[verb]!.has(type.kind)) continue;
    return { offset: item.offset, message: wrongType(verb, type) };
  }
  return undefined;
}

const wrongType = (verb: string, type: Type) =>
  `error during formatting: %${verb} cannot be used on values of type '${typeName(type)}'`;
