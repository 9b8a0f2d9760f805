/** Calls of functions and operators, with the cost that they have in the reference. */

import type { Resolution } from "../check/checker.ts";
import type { Overload } from "../library/declaration.ts";
import type { Expression } from "../syntax/ast.ts";
import { Bytes, EvaluationError, hasType, type List, Optional, typeNameOf, type Value } from "../values/values.ts";
import { type Evaluate, type EvaluationPlan, noOverload } from "./evaluation-plan.ts";
import { fastPaths } from "./fast-paths.ts";
import { isFolded } from "./folds.ts";
import type { Frame } from "./frame.ts";

export function planCall(resolution: Resolution, args: readonly Evaluate[], context: EvaluationPlan): Evaluate {
  switch (resolution.name) {
    case "_&&_":
      return planLogical(args[0]!, args[1]!, false);
    case "_||_":
      return planLogical(args[0]!, args[1]!, true);
    case "or":
    case "orValue":
      return planAlternative(args[0]!, args[1]!, resolution.name === "or");
    case "@in": {
      const membership = planConstantMembership(resolution, args, context);
      if (membership !== undefined) return membership;
    }
  }
  if (resolution.args.length > 0 && resolution.args.every(({ kind }) => kind === "literal"))
    return planConstantCall(resolution, args);
  const fast = fastPaths.get(resolution.name);
  if (fast !== undefined && args.length === 2) return planBinary(resolution, args[0]!, args[1]!, fast);
  return planGeneric(resolution, args);
}

/** `||` stops at true, `&&` at false; an error on one side does not matter if the other side stops. */
function planLogical(left: Evaluate, right: Evaluate, stop: boolean): Evaluate {
  return (frame) => {
    const a = left(frame);
    if (a === stop || (a instanceof EvaluationError && a.isFatal)) return a;
    const b = right(frame);
    if (b === stop) return stop;
    if (a === !stop && b === !stop) return !stop;
    if (b instanceof EvaluationError && b.isFatal) return b;
    if (a !== !stop) return a instanceof EvaluationError ? a : noOverload;
    return b instanceof EvaluationError ? b : noOverload;
  };
}

/** The choice itself costs nothing. */
function planAlternative(optional: Evaluate, alternative: Evaluate, keepsOptional: boolean): Evaluate {
  return (frame) => {
    const value = optional(frame);
    if (value instanceof EvaluationError) return value;
    if (!(value instanceof Optional)) return noOverload;
    if (value.value === undefined) return alternative(frame);
    return keepsOptional ? value : value.value;
  };
}

/** The reference does not count a membership in a list of simple constants. */
function planConstantMembership(
  { args: [, list], overloads }: Resolution,
  [item, values]: readonly Evaluate[],
  context: EvaluationPlan,
): Evaluate | undefined {
  if (overloads.length !== 1 || list?.kind !== "list" || !isFolded(list, context)) return undefined;
  if (!list.items.every((each) => isSimple(each, context))) return undefined;
  return (frame) => {
    const value = item!(frame);
    if (value instanceof EvaluationError) return value;
    return overloads[0]!.call([value, values!(frame) as List], frame);
  };
}

function isSimple(constant: Expression, context: EvaluationPlan): boolean {
  if (constant.kind === "literal") return constant.value !== null && !(constant.value instanceof Bytes);
  const { kind } = context.checked.typeOf(constant);
  return kind === "bool" || kind === "int" || kind === "uint" || kind === "double" || kind === "string";
}

/** `quantity('1Gi')` is computed once, and counted each time. */
function planConstantCall(resolution: Resolution, args: readonly Evaluate[]): Evaluate {
  const generic = planGeneric(resolution, args);
  let known: { readonly value: Value; readonly cost: number } | undefined;
  return (frame) => {
    if (known !== undefined) return frame.charge(known.cost) ?? known.value;
    const before = frame.cost;
    const value = generic(frame);
    if (!(value instanceof EvaluationError)) known = { value, cost: frame.cost - before };
    return value;
  };
}

/** A result that needs no choice of overloads, or undefined. */
type FastPath = (a: Value, b: Value) => Value | undefined;

function planBinary(resolution: Resolution, left: Evaluate, right: Evaluate, fast: FastPath): Evaluate {
  return (frame) => {
    const a = left(frame);
    if (a instanceof EvaluationError) return a;
    const b = right(frame);
    if (b instanceof EvaluationError) return failed(resolution, [a, b], frame);
    const result = fast(a, b);
    if (result !== undefined) return frame.charge(1) ?? result;
    return invoke(resolution, [a, b], frame);
  };
}

function planGeneric(resolution: Resolution, args: readonly Evaluate[]): Evaluate {
  return (frame) => {
    const values: Value[] = [];
    for (const arg of args) {
      const value = arg(frame);
      values.push(value);
      if (value instanceof EvaluationError)
        return values.length === args.length ? failed(resolution, values, frame) : value;
    }
    return invoke(resolution, values, frame);
  };
}

/** The last argument failed. The call counts nevertheless, with an argument of size one. */
function failed({ name, overloads }: Resolution, values: readonly Value[], frame: Frame): Value {
  const error = values.at(-1)!;
  if (error instanceof EvaluationError && error.isFatal) return error;
  const { cost, resultCost } = costing(name, overloads, undefined);
  return frame.charge(resultCost?.(error) ?? cost?.(values) ?? 1) ?? error;
}

function invoke({ name, overloads }: Resolution, values: readonly Value[], frame: Frame): Value {
  const overload = choose(overloads, values);
  const { cost, resultCost } = costing(name, overloads, overload);
  if (resultCost !== undefined) {
    const result = overload === undefined ? missing(name, values) : overload.call(values, frame);
    return frame.charge(resultCost(result)) ?? result;
  }
  const over = frame.charge(cost?.(values) ?? 1);
  return over ?? (overload === undefined ? missing(name, values) : overload.call(values, frame));
}

/** Functions whose cost depends on their overload; where types do not tell which it is, it is one. */
const countedByOverload: ReadonlySet<string> = new Set([
  "@in",
  "@sortByAssociatedKeys",
  "_+_",
  "_<=_",
  "_<_",
  "_>=_",
  "_>_",
  "bytes",
  "sort",
  "string",
]);

function costing(
  name: string,
  overloads: readonly Overload[],
  chosen: Overload | undefined,
): Pick<Overload, "cost" | "resultCost"> {
  if (overloads.length === 1) return overloads[0]!;
  return countedByOverload.has(name) ? {} : (chosen ?? overloads[0]!);
}

function choose(overloads: readonly Overload[], values: readonly Value[]): Overload | undefined {
  for (const overload of overloads) {
    const types = overload.takes ?? overload.params;
    let fits = true;
    for (let at = 0; at < values.length && fits; at++) fits = hasType(values[at]!, types[at]!);
    if (fits) return overload;
  }
  return undefined;
}

const numbers = ["int", "uint", "double"] as const;
const times = ["google.protobuf.Duration", "google.protobuf.Timestamp"] as const;
/** What a first argument must be so that an operator looks at the second one. */
const operands: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  [
    ...["_+_"].map((name) => [name, [...numbers, ...times, "string", "bytes", "list"]] as const),
    ...["_-_"].map((name) => [name, [...numbers, ...times]] as const),
    ...["_*_", "_/_", "_%_", "-_"].map((name) => [name, numbers] as const),
    ...["_<_", "_<=_", "_>_", "_>=_"].map((name) => [name, [...numbers, ...times, "string", "bytes", "bool"]] as const),
    ["size", []] as const,
    ["sort", []] as const,
  ].map(([name, types]) => [name, new Set<string>(types)]),
);

/** Functions that do not say what they were called with. */
const brief: ReadonlySet<string> = new Set([
  "!_",
  "@in",
  "contains",
  "endsWith",
  "find",
  "findAll",
  "matches",
  "startsWith",
]);

function missing(name: string, values: readonly Value[]): EvaluationError {
  if (brief.has(name) || values[0] instanceof EvaluationError) return noOverload;
  const types = operands.get(name);
  if (types === undefined)
    return new EvaluationError(`no such overload: ${name}(${values.map(typeNameOf).join(", ")})`);
  const type = typeNameOf(values[0]!);
  return types.has(type) || (type === "string" && name !== "-_")
    ? noOverload
    : new EvaluationError(`no such overload: ${name}`);
}
