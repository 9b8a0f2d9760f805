/** Turns a checked expression into functions that evaluate it. */

import { listCost, mapCost, selectCost, structCost } from "../cost/constants.ts";
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
import { ArrayList, EntryMap, EvaluationError, hasType, Optional, TypeValue, type Value } from "../values/values.ts";
import { planCall } from "./calls.ts";
import { planComprehension } from "./comprehension.ts";
import { type Evaluate, type EvaluationPlan, noOverload } from "./evaluation-plan.ts";
import { foldedValue } from "./folds.ts";
import type { Frame } from "./frame.ts";
import { baseCost, isIndex, planIndex, planSelect } from "./qualifiers.ts";

/** `isRaw`: the variable at the beginning of a path does not count, since a part around it counts instead. */
export function plan(expression: Expression, context: EvaluationPlan, isRaw = false): Evaluate {
  if (expression.kind === "comprehension") return planComprehension(expression, context);
  const node = nodeOf(expression, context, isRaw);
  if (typeof node === "function") return node;
  return node.make(node.children.map((child) => plan(child.expression, context, child.isRaw)));
}

/** A part of an expression that has other parts. */
interface EvaluatedNode {
  readonly children: readonly EvaluatedChild[];
  /** The part, once its children are planned. */
  make(children: readonly Evaluate[]): Evaluate;
}

interface EvaluatedChild {
  readonly expression: Expression;
  readonly isRaw: boolean;
}

/** A part that is not a loop. A function: it has no other parts. */
export function nodeOf(
  expression: Exclude<Expression, ComprehensionExpression>,
  context: EvaluationPlan,
  isRaw: boolean,
): EvaluatedNode | Evaluate {
  const folded = foldedValue(expression, context);
  if (folded !== undefined) return folded;
  switch (expression.kind) {
    case "literal": {
      const { value } = expression;
      return () => value;
    }
    case "identifier":
      return planReference(expression, expression.name, context, isRaw);
    case "select":
      return context.checked.references.has(expression)
        ? planReference(expression, "", context, isRaw)
        : selectNode(expression, context, isRaw);
    case "call":
      return callNode(expression, context, isRaw);
    case "list":
      return { children: expression.items.map(asCounted), make: (items) => planList(expression, items) };
    case "map":
      return {
        children: expression.entries.flatMap(({ key, value }) => [asCounted(key), asCounted(value)]),
        make: (parts) => planMap(expression, parts),
      };
    case "struct":
      return {
        children: expression.fields.map(({ value }) => asCounted(value)),
        make: (values) => planStruct(expression, values, context),
      };
  }
}

const asCounted = (expression: Expression): EvaluatedChild => ({ expression, isRaw: false });
const asRaw = (expression: Expression): EvaluatedChild => ({ expression, isRaw: true });

function planReference(
  expression: Expression,
  name: string,
  { checked, slots }: EvaluationPlan,
  isRaw: boolean,
): Evaluate {
  const reference = checked.references.get(expression);
  if (reference?.kind === "type") {
    const value = new TypeValue(reference.name);
    return () => value;
  }
  const slot = reference?.isGlobal ? slots.globalSlotOf(reference.name) : slots.slotOf(reference?.name ?? name);
  const cost = isRaw ? 0 : selectCost;
  const lazy = slots.lazy.get(slot);
  if (lazy !== undefined)
    return (frame) => {
      frame.cost += cost;
      frame.slots[slot] ??= frame.slots[slot] === null ? null : lazy(frame);
      return frame.slots[slot]!;
    };
  return (frame) => {
    frame.cost += cost;
    return frame.slots[slot]!;
  };
}

function selectNode(expression: SelectExpression, context: EvaluationPlan, isRaw: boolean): EvaluatedNode {
  const { operand, mode } = expression;
  const base = baseCost(operand, context, { isRaw, isTest: mode === "test" });
  return {
    children: [{ expression: operand, isRaw: isRaw || mode === "test" }],
    make: ([value]) => planSelect(expression, value!, base),
  };
}

function callNode(expression: CallExpression, context: EvaluationPlan, isRaw: boolean): EvaluatedNode | Evaluate {
  const resolution = context.checked.resolutions.get(expression);
  if (resolution === undefined) return () => noOverload;
  const { name, args } = resolution;
  if (isIndex(name)) {
    const base = baseCost(args[0]!, context, { isRaw, isTest: false });
    return {
      children: [{ expression: args[0]!, isRaw }, asRaw(args[1]!)],
      make: ([value, index]) => planIndex(name, value!, index!, base),
    };
  }
  if (name === "_?_:_")
    return {
      children: [asCounted(args[0]!), asRaw(args[1]!), asRaw(args[2]!)],
      make: ([condition, yes, no]) => planConditional(condition!, yes!, no!),
    };
  return { children: args.map(asCounted), make: (planned) => planCall(resolution, planned, context) };
}

function planConditional(condition: Evaluate, yes: Evaluate, no: Evaluate): Evaluate {
  return (frame) => {
    const decided = condition(frame);
    if (decided === true) return yes(frame);
    if (decided === false) return no(frame);
    return decided instanceof EvaluationError ? decided : noOverload;
  };
}

function planList({ optionals }: ListExpression, items: readonly Evaluate[]): Evaluate {
  const collect = (frame: Frame): Value => {
    const values: Value[] = [];
    for (const [at, item] of items.entries()) {
      const value = item(frame);
      if (value instanceof EvaluationError) return value;
      if (!optionals.has(at)) values.push(value);
      else if (!(value instanceof Optional)) return noOverload;
      else if (value.value !== undefined) values.push(value.value);
    }
    return new ArrayList(values);
  };
  return (frame) => {
    const list = collect(frame);
    return frame.charge(listCost) ?? list;
  };
}

/** `parts`: the key and the value of each entry, one after the other. */
function planMap({ entries }: MapExpression, parts: readonly Evaluate[]): Evaluate {
  const planned = entries.map(({ isOptional }, at) => ({
    key: parts[2 * at]!,
    value: parts[2 * at + 1]!,
    isOptional,
  }));
  const collect = (frame: Frame): Value => {
    const map = new EntryMap();
    for (const entry of planned) {
      const key = entry.key(frame);
      if (key instanceof EvaluationError) return key;
      let value: Value | undefined = entry.value(frame);
      if (value instanceof EvaluationError) return value;
      if (entry.isOptional) {
        if (!(value instanceof Optional)) return noOverload;
        value = value.value;
      }
      // The last of several values counts, and no value takes those before it away.
      if (value === undefined) map.delete(key);
      else map.set(key, value);
    }
    return map;
  };
  return (frame) => {
    const map = collect(frame);
    return frame.charge(mapCost) ?? map;
  };
}

function planStruct(expression: StructExpression, values: readonly Evaluate[], context: EvaluationPlan): Evaluate {
  const type = context.checked.typeOf(expression);
  if (type.kind !== "object") return () => noOverload;
  const planned = expression.fields.map(({ name, isOptional }, at) => ({ name, value: values[at]!, isOptional }));
  const collect = (frame: Frame): Value => {
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
    return new MadeObject(type, fields);
  };
  return (frame) => {
    const made = collect(frame);
    return frame.charge(structCost) ?? made;
  };
}
