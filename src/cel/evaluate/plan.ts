/** Turns a checked expression into functions that evaluate it. */

import type { CheckedExpression, Resolution } from "../check/checker.ts";
import { listCost, mapCost, selectCost, structCost } from "../cost/constants.ts";
import type { Overload } from "../library/declaration.ts";
import { keyText } from "../library/operators.ts";
import type {
  CallExpression,
  ComprehensionExpression,
  Expression,
  ListExpression,
  MapExpression,
  SelectExpression,
  StructExpression,
} from "../syntax/ast.ts";
import { MadeObject } from "../values/made-object.ts";
import {
  ArrayList,
  Dictionary,
  EntryMap,
  EvaluationError,
  hasType,
  ObjectValue,
  Optional,
  TypeValue,
  typeNameOf,
  type Value,
} from "../values/values.ts";
import { planComprehension } from "./comprehension.ts";
import { fastPaths } from "./fast-paths.ts";
import type { Frame } from "./frame.ts";

export type Evaluate = (frame: Frame) => Value;

/** Where the variables of an expression are in a frame. */
export class FrameSlots {
  readonly #slots = new Map<string, number[]>();
  #count = 0;
  /** Variables of the environment that the expression uses. */
  readonly globals: string[] = [];

  /** How many slots a frame has. */
  get count(): number {
    return this.#count;
  }

  slotOf(name: string): number {
    const known = this.#slots.get(name)?.at(-1);
    if (known !== undefined) return known;
    const slot = this.#count++;
    this.globals[slot] = name;
    this.#slots.set(name, [slot]);
    return slot;
  }

  push(name: string): number {
    const slot = this.#count++;
    const known = this.#slots.get(name);
    if (known === undefined) this.#slots.set(name, [slot]);
    else known.push(slot);
    return slot;
  }

  /** A slot without a name. */
  fresh(): number {
    return this.#count++;
  }

  pop(name: string): void {
    const known = this.#slots.get(name)!;
    known.pop();
    if (known.length === 0) this.#slots.delete(name);
  }
}

export interface EvaluationPlan {
  readonly checked: CheckedExpression;
  readonly slots: FrameSlots;
}

export function plan(expression: Expression, context: EvaluationPlan): Evaluate {
  if (expression.kind === "comprehension") return planComprehension(expression, context);
  const node = nodeOf(expression, context);
  return typeof node === "function" ? node : node.make(node.children.map((child) => plan(child, context)));
}

/** A part of an expression that has other parts. */
interface EvaluatedNode {
  readonly children: readonly Expression[];
  /** The part, once its children are planned. */
  make(children: readonly Evaluate[]): Evaluate;
}

/** A part that is not a loop. A function: it has no other parts. */
export function nodeOf(
  expression: Exclude<Expression, ComprehensionExpression>,
  context: EvaluationPlan,
): EvaluatedNode | Evaluate {
  switch (expression.kind) {
    case "literal": {
      const { value } = expression;
      return () => value;
    }
    case "identifier":
      return planReference(expression, expression.name, context);
    case "select":
      return context.checked.references.has(expression)
        ? planReference(expression, "", context)
        : { children: [expression.operand], make: ([operand]) => planSelect(expression, operand!) };
    case "call":
      return callNode(expression, context);
    case "list":
      return { children: expression.items, make: (items) => planList(expression, items) };
    case "map":
      return {
        children: expression.entries.flatMap(({ key, value }) => [key, value]),
        make: (parts) => planMap(expression, parts),
      };
    case "struct":
      return {
        children: expression.fields.map(({ value }) => value),
        make: (values) => planStruct(expression, values, context),
      };
  }
}

export const noOverload = new EvaluationError("no such overload");

function planReference(expression: Expression, name: string, { checked, slots }: EvaluationPlan): Evaluate {
  const reference = checked.references.get(expression);
  if (reference?.kind === "type") {
    const value = new TypeValue(reference.name);
    return () => value;
  }
  const slot = slots.slotOf(reference?.name ?? name);
  return (frame) => {
    frame.cost += selectCost;
    return frame.slots[slot]!;
  };
}

function planSelect({ field, mode }: SelectExpression, evaluate: Evaluate): Evaluate {
  const cost = mode === "test" ? 0 : selectCost;
  const read = mode === "value" ? readField : mode === "test" ? testField : readOptional;
  return (frame) => {
    const value = evaluate(frame);
    if (value instanceof EvaluationError) return value;
    frame.cost += cost;
    return read(value, field);
  };
}

function readField(value: Value, field: string): Value {
  if (value instanceof ObjectValue || value instanceof Dictionary) {
    const found = value.get(field);
    return found === undefined ? new EvaluationError(`no such key: ${field}`) : found;
  }
  if (value instanceof Optional) return value.value === undefined ? Optional.none : readOptional(value.value, field);
  return noOverload;
}

function testField(value: Value, field: string): Value {
  if (value instanceof ObjectValue || value instanceof Dictionary) return value.has(field);
  if (value instanceof Optional) return value.value !== undefined && testField(value.value, field);
  return noOverload;
}

function readOptional(value: Value, field: string): Value {
  const operand = value instanceof Optional ? value.value : value;
  if (operand === undefined || operand === null) return Optional.none;
  if (operand instanceof ObjectValue) return operand.has(field) ? wrap(operand.get(field)) : Optional.none;
  if (operand instanceof Dictionary) return wrap(operand.get(field));
  return noOverload;
}

const wrap = (value: Value | undefined): Value =>
  value === undefined ? Optional.none : value instanceof EvaluationError ? value : new Optional(value);

function callNode(expression: CallExpression, context: EvaluationPlan): EvaluatedNode | Evaluate {
  const resolution = context.checked.resolutions.get(expression);
  if (resolution === undefined) return () => noOverload;
  return { children: resolution.args, make: (args) => planCall(resolution, args) };
}

function planCall(resolution: Resolution, args: readonly Evaluate[]): Evaluate {
  switch (resolution.name) {
    case "_&&_":
      return planLogical(args[0]!, args[1]!, false);
    case "_||_":
      return planLogical(args[0]!, args[1]!, true);
    case "_?_:_":
      return planConditional(args[0]!, args[1]!, args[2]!);
    case "or":
    case "orValue":
      return planAlternative(args[0]!, args[1]!, resolution.name === "or");
    case "@in":
      if (isConstant(resolution.args[1]!)) return planConstantMembership(resolution.overloads, args);
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
    if (b instanceof EvaluationError && (b.isFatal || !(a instanceof EvaluationError))) return b;
    return a instanceof EvaluationError ? a : noOverload;
  };
}

function planConditional(condition: Evaluate, yes: Evaluate, no: Evaluate): Evaluate {
  return (frame) => {
    const decided = condition(frame);
    if (decided === true) return yes(frame);
    if (decided === false) return no(frame);
    return decided instanceof EvaluationError ? decided : noOverload;
  };
}

function planAlternative(optional: Evaluate, alternative: Evaluate, keepsOptional: boolean): Evaluate {
  return (frame) => {
    const value = optional(frame);
    if (value instanceof EvaluationError) return value;
    if (!(value instanceof Optional)) return noOverload;
    if (value.value !== undefined) return frame.charge(1) ?? (keepsOptional ? value : value.value);
    const other = alternative(frame);
    return frame.charge(1) ?? other;
  };
}

/** The reference does not count a membership in a list of literals. */
function planConstantMembership(overloads: readonly Overload[], args: readonly Evaluate[]): Evaluate {
  return (frame) => {
    const item = args[0]!(frame);
    if (item instanceof EvaluationError) return item;
    const values = [item, args[1]!(frame)];
    return frame.charge(0) ?? choose(overloads, values)?.call(values, frame) ?? noOverload;
  };
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
    if (b instanceof EvaluationError) return b;
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
      if (value instanceof EvaluationError) return value;
      values.push(value);
    }
    return invoke(resolution, values, frame);
  };
}

function invoke({ name, overloads }: Resolution, values: readonly Value[], frame: Frame): Value {
  const overload = choose(overloads, values);
  if (overload === undefined) return missing(name, values);
  if (overload.resultCost !== undefined) {
    const result = overload.call(values, frame);
    return frame.charge(result instanceof EvaluationError ? 1 : overload.resultCost(result)) ?? result;
  }
  return frame.charge(overload.cost?.(values) ?? 1) ?? overload.call(values, frame);
}

function choose(overloads: readonly Overload[], values: readonly Value[]): Overload | undefined {
  for (const overload of overloads) {
    let fits = true;
    for (let at = 0; at < values.length && fits; at++) fits = hasType(values[at]!, overload.params[at]!);
    if (fits) return overload;
  }
  return undefined;
}

const missing = (name: string, values: readonly Value[]): EvaluationError =>
  new EvaluationError(`no such overload: ${name}(${values.map(typeNameOf).join(", ")})`);

/** Made once, and without a cost. */
function isConstant(expression: Expression): boolean {
  if (expression.kind === "literal") return true;
  return expression.kind === "list" && expression.optionals.size === 0 && expression.items.every(isConstant);
}

function planList(expression: ListExpression, items: readonly Evaluate[]): Evaluate {
  const { optionals } = expression;
  if (isConstant(expression)) {
    let made: ArrayList | undefined;
    return (frame) => {
      made ??= new ArrayList(items.map((item) => item(frame)));
      return made;
    };
  }
  return (frame) => {
    const values: Value[] = [];
    for (const [at, item] of items.entries()) {
      const value = item(frame);
      if (value instanceof EvaluationError) return value;
      if (!optionals.has(at)) values.push(value);
      else if (!(value instanceof Optional)) return noOverload;
      else if (value.value !== undefined) values.push(value.value);
    }
    return frame.charge(listCost) ?? new ArrayList(values);
  };
}

/** `parts`: the key and the value of each entry, one after the other. */
function planMap({ entries }: MapExpression, parts: readonly Evaluate[]): Evaluate {
  const planned = entries.map(({ isOptional }, at) => ({
    key: parts[2 * at]!,
    value: parts[2 * at + 1]!,
    isOptional,
  }));
  return (frame) => {
    const map = new EntryMap();
    for (const entry of planned) {
      const key = entry.key(frame);
      if (key instanceof EvaluationError) return key;
      let value: Value | undefined = entry.value(frame);
      if (value instanceof EvaluationError) return value;
      if (entry.isOptional) {
        if (!(value instanceof Optional)) return noOverload;
        value = value.value;
        if (value === undefined) continue;
      }
      const problem = insert(map, key, value);
      if (problem !== undefined) return problem;
    }
    return frame.charge(mapCost) ?? map;
  };
}

function planStruct(expression: StructExpression, values: readonly Evaluate[], context: EvaluationPlan): Evaluate {
  const type = context.checked.typeOf(expression);
  if (type.kind !== "object") return () => noOverload;
  const planned = expression.fields.map(({ name, isOptional }, at) => ({ name, value: values[at]!, isOptional }));
  return (frame) => {
    const fields = new Map<string, Value>();
    for (const field of planned) {
      let value: Value | undefined = field.value(frame);
      if (value instanceof EvaluationError) return value;
      if (field.isOptional) {
        if (!(value instanceof Optional)) return noOverload;
        value = value.value;
        if (value === undefined) continue;
      }
      const declared = type.fields.get(field.name);
      if (declared !== undefined && !hasType(value, declared)) return noOverload;
      fields.set(field.name, value);
    }
    return frame.charge(structCost) ?? new MadeObject(type, fields);
  };
}

export function insert(map: EntryMap, key: Value, value: Value): EvaluationError | undefined {
  switch (map.add(key, value)) {
    case "added":
      return undefined;
    case "repeated":
      return new EvaluationError(`insert failed: key '${keyText(key)}' already exists`);
    case "not a key":
      return new EvaluationError(`unsupported key type: ${typeNameOf(key)}`);
  }
}
